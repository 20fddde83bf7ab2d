import { settingsFileSchema, type SettingsFile } from "../core/settings-schema.ts";

/** What a word of the command line or a variable says as the value of a setting, or why it cannot be one. */
export type SettingFromText =
  | { readonly value: unknown; readonly values: SettingsFile; readonly problem?: never }
  | { readonly problem: string };

/** Takes a text as JSON where the setting has such a value, and otherwise as it stands. */
export function settingFromText(path: readonly string[], text: string): SettingFromText {
  const results = [...parsedJson(text), text].map((value) => check(path, value));
  return results.find(({ problem }) => problem === undefined) ?? results[0] ?? { problem: "does not fit" };
}

function check(path: readonly string[], value: unknown): SettingFromText {
  const file = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const { data, error } = settingsFileSchema().safeParse(file);
  return data === undefined ? { problem: error.issues[0]?.message ?? "does not fit" } : { value, values: data };
}

function parsedJson(text: string): unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}
