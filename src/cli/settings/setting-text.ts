import type { SettingExplanation } from "../../runtime/explain-setting.ts";
import { textTable } from "../text-table.ts";

/** A value for people and scripts: a text as it is, anything else as JSON, and nothing where there is none. */
export function settingText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** One line for each setting: its name, its value, and the layers that it comes from. */
export function settingsTable(explanations: readonly SettingExplanation[]): string {
  return textTable(
    explanations.map(({ key, value, sources }) => {
      const used = sources.filter(({ effect }) => effect === "used").map(({ layer }) => layer);
      return [key, used.join(", "), settingText(value)];
    }),
  );
}

/** The value of a setting and, below it, everything that has a say in it, the strongest first. */
export function explanationText({ key, value, sources }: SettingExplanation): string {
  const text = settingText(value);
  const rows = sources.map((source) => [`  ${source.effect}`, source.layer, source.origin ?? "", settingText(source.value)]);
  return `${key}: ${text === "" ? "not set" : text}\n${textTable(rows)}`;
}
