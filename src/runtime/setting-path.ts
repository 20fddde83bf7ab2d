import { AppError } from "../core/errors.ts";
import { SETTING_NAMES, type SettingName } from "../core/setting-names.ts";
import { nearestName } from "../lib/nearest-name.ts";

/** A setting as people name it: one of `SETTING_NAMES`, or an entry of the aliases, as `modelAliases.fast`. */
export interface SettingPath {
  readonly name: SettingName;
  /** The keys that lead to it in a file. */
  readonly path: readonly string[];
}

/** Throws an `AppError` of reason `usage` for what is no setting. */
export function parseSettingPath(key: string): SettingPath {
  const name = SETTING_NAMES.find((each) => each === key);
  if (name !== undefined) return { name, path: name.split(".") };
  const alias = /^modelAliases\.(.+)$/.exec(key)?.[1];
  if (alias !== undefined) return { name: "modelAliases", path: ["modelAliases", alias] };
  const nearest = nearestName(key, SETTING_NAMES);
  const hint = nearest === undefined ? `the settings are ${SETTING_NAMES.join(", ")}` : `did you mean "${nearest}"?`;
  throw new AppError("usage", `Unknown setting "${key}": ${hint}`, { code: "unknown_setting" });
}
