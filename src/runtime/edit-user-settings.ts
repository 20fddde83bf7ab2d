import { AppError } from "../core/errors.ts";
import { appendJsonc, editJsonc } from "../lib/edit-jsonc.ts";
import { writeSettingsFile } from "../platform/write-settings-file.ts";
import { parseSettingsDocument } from "./parse-settings-document.ts";
import { parseSettings } from "./parse-settings.ts";
import { readSettingsText } from "./read-settings-text.ts";
import { settingFromText } from "./setting-from-text.ts";
import { parseSettingPath } from "./setting-path.ts";

/**
 * Sets one value in the user's configuration file and keeps everything else in it, comments included. The whole file is
 * checked before it is written, so that what was wrong with the value before can be mended this way.
 *
 * Throws an `AppError` of reason `usage` for an unknown key, a value that does not fit and a file that is broken elsewhere.
 *
 * @param change.key a setting, or an entry of one, as `modelAliases.fast`
 * @param change.value JSON where the key takes such a value, otherwise the text itself
 */
export function setUserSetting(file: string, { key, value: text }: { readonly key: string; readonly value: string }): void {
  const { path } = parseSettingPath(key);
  const setting = settingFromText(path, text);
  if (setting.problem !== undefined) {
    throw new AppError("usage", `Cannot set "${key}" to ${JSON.stringify(text)}: it ${setting.problem}`, { code: "invalid_settings" });
  }
  edit(file, (before) => editJsonc(before, path, setting.value));
}

/**
 * Takes one value out of the user's configuration file. Throws as `setUserSetting` does.
 *
 * @returns false when it was not there
 */
export function unsetUserSetting(file: string, key: string): boolean {
  const { path } = parseSettingPath(key);
  return edit(file, (before) => editJsonc(before, path, undefined));
}

/** Adds rules to what the user's configuration file allows, behind those that stand there. Throws as `setUserSetting` does. */
export function allowInUserSettings(file: string, rules: readonly string[]): void {
  edit(file, (before) => rules.reduce((text, rule) => appendJsonc(text, ["permissions", "allow"], rule), before));
}

/** @returns whether anything changed */
function edit(file: string, change: (text: string) => string): boolean {
  const before = readSettingsText(file) ?? "";
  parseSettingsDocument(before, file);
  const after = change(before);
  parseSettings(after, { name: "user", file });
  if (after !== before) writeSettingsFile(file, after);
  return after !== before;
}
