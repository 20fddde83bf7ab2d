import type { Settings } from "../core/settings.ts";
import { mergeSettings } from "./merge-settings.ts";
import { readSettingsLayers, type SettingsPaths } from "./read-settings-layers.ts";
import { settingsWarnings } from "./settings-warnings.ts";

/**
 * What the configuration files of a working directory come to, and what their authors should be told. Flags and
 * environment go before it; `ceilings` hold even then.
 *
 * Rejects with an `AppError` of reason `usage` for a file that cannot be read or is not valid.
 *
 * @param options.distrust why a managed file may be somebody else's work, for tests
 */
export async function loadSettings(
  { cwd, paths }: { readonly cwd: string; readonly paths: SettingsPaths },
  options: { readonly distrust?: (file: string) => string | undefined } = {},
): Promise<{ readonly settings: Settings; readonly warnings: string[] }> {
  const { layers, warnings } = await readSettingsLayers({ cwd, paths, ...options });
  const { settings, decisions } = mergeSettings(layers);
  return { settings, warnings: [...warnings, ...settingsWarnings(layers, decisions)] };
}
