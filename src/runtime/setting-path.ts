import { AppError } from "../core/errors.ts";
import { SETTING_NAMES, type SettingName } from "../core/setting-names.ts";
import { nearestName } from "../lib/nearest-name.ts";

/** A setting as people name it: one of `SETTING_NAMES`, or an entry of a table, as `modelAliases.fast`. */
export interface SettingPath {
  readonly name: SettingName;
  /** The keys that lead to it in a file. */
  readonly path: readonly string[];
}

/** Throws an `AppError` of reason `usage` for what is no setting. */
export function parseSettingPath(key: string): SettingPath {
  const name = SETTING_NAMES.find((each) => each === key);
  if (name !== undefined) return { name, path: name.split(".") };
  for (const table of ["modelAliases", "prices"] as const) {
    const entry = key.slice(table.length + 1);
    if (key.startsWith(`${table}.`) && entry !== "") return { name: table, path: [table, entry] };
  }
  const nearest = nearestName(key, SETTING_NAMES);
  const hint = nearest === undefined ? `the settings are ${SETTING_NAMES.join(", ")}` : `did you mean "${nearest}"?`;
  throw new AppError("usage", `Unknown setting "${key}": ${hint}`, { code: "unknown_setting" });
}
