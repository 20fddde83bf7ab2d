import { SETTING_NAMES } from "../core/setting-names.ts";
import { clipLine } from "../lib/clip-line.ts";
import { nearestName } from "../lib/nearest-name.ts";
import type { MergedSettings } from "./merge-settings.ts";
import type { SettingsLayer } from "./settings-layer.ts";

/** Of one file; whoever wrote more of them gets their number. */
const UNKNOWN_KEYS_SHOWN_MAX = 5;
const KEY_CHARS_MAX = 100;

/** What has no effect although it stands in a file, one line for each cause. */
export function settingsWarnings(layers: readonly SettingsLayer[], decisions: MergedSettings["decisions"]): string[] {
  return layers.flatMap((layer) => [...unknownKeys(layer), ...ignoredKeys(layer, decisions)]);
}

function unknownKeys({ file, unknownKeys: found }: SettingsLayer): string[] {
  const shown = found.slice(0, UNKNOWN_KEYS_SHOWN_MAX).map(({ key: whole, line }) => {
    const key = clipLine(whole, KEY_CHARS_MAX);
    const nearest = nearestName(key, KNOWN_KEYS);
    return `Unknown key "${key}" at ${file}:${line} is ignored${nearest === undefined ? "" : `: did you mean "${nearest}"?`}`;
  });
  const rest = found.length - shown.length;
  return rest === 0 ? shown : [...shown, `${rest} more unknown ${rest === 1 ? "key" : "keys"} in ${file} ${rest === 1 ? "is" : "are"} ignored`];
}

const KNOWN_KEYS = [...SETTING_NAMES, "permissions"];

function ignoredKeys({ name, file }: SettingsLayer, decisions: MergedSettings["decisions"]): string[] {
  const ignored = SETTING_NAMES.filter((key) => decisions[key].sources.some(({ layer, effect }) => layer === name && effect === "ignored"));
  if (ignored.length === 0) return [];
  const keys = ignored.map((key) => `"${key}"`).join(", ");
  return [`${keys} in ${file} ${ignored.length === 1 ? "is" : "are"} ignored: a project file may only narrow what is allowed until the project can be trusted`];
}
