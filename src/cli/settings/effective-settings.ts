import { AppError } from "../../core/errors.ts";
import { SETTING_NAMES, type SettingName } from "../../core/setting-names.ts";
import { explainSetting, type SettingExplanation } from "../../runtime/explain-setting.ts";
import { mergeSettings } from "../../runtime/merge-settings.ts";
import { readSettingsLayers, type SettingsPaths } from "../../runtime/read-settings-layers.ts";
import { settingFromText } from "../../runtime/setting-from-text.ts";
import { settingsWarnings } from "../../runtime/settings-warnings.ts";
import type { ArgumentDefinition, CliIo } from "../command.ts";
import { RUN_ARGUMENTS } from "../run/arguments.ts";
import { SETTING_SOURCES } from "./setting-sources.ts";

/**
 * What `agent run` would take every setting to be in a directory, and why. Rejects with an `AppError` of reason `usage` for a
 * variable or a file that is not valid.
 */
export async function effectiveSettings(params: { readonly cwd: string; readonly paths: SettingsPaths; readonly env: CliIo["env"] }): Promise<{
  readonly explanations: readonly SettingExplanation[];
  readonly warnings: readonly string[];
}> {
  const { layers, warnings } = await readSettingsLayers(params);
  return {
    explanations: SETTING_NAMES.map((name) =>
      explainSetting(name, { layers, env: fromEnvironment(name, params.env), builtIn: SETTING_SOURCES[name].builtIn }),
    ),
    warnings: [...warnings, ...settingsWarnings(layers, mergeSettings(layers).decisions)],
  };
}

function fromEnvironment(name: SettingName, env: CliIo["env"]) {
  const variable = variableOf(name);
  const text = variable === undefined ? undefined : env[variable];
  if (variable === undefined || text === undefined || text === "") return undefined;
  const setting = settingFromText(name.split("."), text);
  if (setting.problem === undefined) return { variable, values: setting.values };
  throw new AppError("usage", `Cannot use ${variable} ${JSON.stringify(text)}: it ${setting.problem}`, { code: "bad_value" });
}

function variableOf(name: SettingName): string | undefined {
  const { flag, env } = SETTING_SOURCES[name];
  const definition: ArgumentDefinition | undefined = flag === undefined ? undefined : RUN_ARGUMENTS[flag];
  return definition?.env ?? env;
}
