import { existsSync } from "node:fs";
import { join } from "node:path";
import type { StatePaths } from "../platform/state-paths.ts";
import { untrustedPath } from "../platform/untrusted-path.ts";
import { readSettingsText } from "./read-settings-text.ts";
import { loadSettingsParser } from "./registry.ts";
import type { SettingsLayer, SettingsLayerName } from "./settings-layer.ts";

export type SettingsPaths = Pick<StatePaths, "config" | "managedConfig">;

/**
 * Reads the configuration files that exist. Where there is none, nothing of what parses them is loaded.
 *
 * Rejects with an `AppError` of reason `usage` for a file that cannot be read or is not valid.
 *
 * @param params.distrust why a managed file may be somebody else's work, for tests
 */
export async function readSettingsLayers(params: {
  readonly cwd: string;
  readonly paths: SettingsPaths;
  readonly distrust?: (file: string) => string | undefined;
}): Promise<{ readonly layers: readonly SettingsLayer[]; readonly warnings: readonly string[] }> {
  const { cwd, paths, distrust = untrustedPath } = params;
  const layers: SettingsLayer[] = [];
  const warnings: string[] = [];
  for (const { name, file } of settingsFiles(cwd, paths)) {
    // The user said by a variable that this file is theirs.
    if (name !== "user" && file === paths.config) continue;
    const doubt = name === "managed" && existsSync(file) ? distrust(file) : undefined;
    if (doubt !== undefined) {
      warnings.push(`"${file}" is ignored: ${doubt}`);
      continue;
    }
    const text = readSettingsText(file);
    if (text === undefined) continue;
    const { parseSettings } = await loadSettingsParser();
    layers.push(parseSettings(text, { name, file }));
  }
  return { layers, warnings };
}

/** Where the configuration files of a working directory are looked for, the strongest layer first. */
function settingsFiles(cwd: string, paths: SettingsPaths): { readonly name: SettingsLayerName; readonly file: string }[] {
  return [
    { name: "managed", file: paths.managedConfig },
    { name: "local", file: join(cwd, ".agent", "config.local.jsonc") },
    { name: "project", file: join(cwd, ".agent", "config.jsonc") },
    { name: "user", file: paths.config },
  ];
}
