import type { SettingName } from "../core/setting-names.ts";
import type { SettingsFile } from "../core/settings-schema.ts";
import { mergeSettings } from "./merge-settings.ts";
import type { SettingSource } from "./setting-decision.ts";
import type { SettingsLayer } from "./settings-layer.ts";

/** Where the value of a setting comes from when nothing on the command line sets it. */
export interface SettingExplanation {
  readonly key: SettingName;
  readonly value: unknown;
  /** Everything that has a say, the strongest first. */
  readonly sources: readonly ExplainedSource[];
}

export interface ExplainedSource extends Omit<SettingSource, "layer" | "file"> {
  readonly layer: SettingSource["layer"] | "env" | "built-in";
  /** The file or the variable; null for what is built in. */
  readonly origin: string | null;
}

/**
 * Explains one setting.
 *
 * @param params.env the variable that stands for the setting, where it is set, with its value as a file would hold it
 * @param params.builtIn what holds without any source
 */
export function explainSetting(
  key: SettingName,
  params: {
    readonly layers: readonly SettingsLayer[];
    readonly env: { readonly variable: string; readonly values: SettingsFile } | undefined;
    readonly builtIn: unknown;
  },
): SettingExplanation {
  const { layers, env, builtIn } = params;
  const files = mergeSettings(layers).decisions[key];
  const sources = files.sources.map(({ file, ...source }) => ({ ...source, origin: file }));
  const fallback: ExplainedSource = { layer: "built-in", origin: null, value: builtIn, effect: files.value === undefined && env === undefined ? "used" : "overridden" };
  if (env === undefined) return { key, value: files.value ?? builtIn, sources: [...sources, fallback] };

  const { value, isLowered } = withinCeiling(key, layers, env.values);
  const underEnv = sources.map((source): ExplainedSource => {
    if (isLowered && source.layer === "managed") return { ...source, effect: "used" };
    return source.effect === "used" ? { ...source, effect: "overridden" } : source;
  });
  const fromEnv: ExplainedSource = { layer: "env", origin: env.variable, value: valueIn(key, env.values), effect: isLowered ? "overridden" : "used" };
  return { key, value, sources: [fromEnv, ...underEnv, fallback] };
}

/** What is left of a value that goes before all files but the administrator's limits. */
function withinCeiling(key: SettingName, layers: readonly SettingsLayer[], values: SettingsFile) {
  const own = valueIn(key, values);
  const managed = layers.filter(({ name }) => name === "managed");
  const requested: SettingsLayer = { name: "user", file: "", values, rules: [], unknownKeys: [] };
  const { value } = mergeSettings([...managed, requested]).decisions[key];
  // The model is a choice and no limit.
  return key === "model" || value === own ? { value: own, isLowered: false } : { value, isLowered: true };
}

function valueIn(key: SettingName, values: SettingsFile): unknown {
  return mergeSettings([{ name: "user", file: "", values, rules: [], unknownKeys: [] }]).decisions[key].value;
}
