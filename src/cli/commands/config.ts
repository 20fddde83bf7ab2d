import { AppError } from "../../core/errors.ts";
import { EXIT_CODES, type ExitCode } from "../../core/exit-code.ts";
import { isRecord } from "../../lib/is-record.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import { visibleText } from "../../lib/visible-text.ts";
import { resolveStatePaths } from "../../platform/state-paths.ts";
import { setUserSetting, unsetUserSetting } from "../../runtime/edit-user-settings.ts";
import { parseSettingPath } from "../../runtime/setting-path.ts";
import { defineCliCommand, type CliIo, type CommandInput } from "../command.ts";
import { effectiveSettings } from "../settings/effective-settings.ts";
import { directoryFlag } from "../flag-values.ts";
import { explanationText, settingsTable, settingText } from "../settings/setting-text.ts";

/** How many words stand behind each action. */
const ACTIONS = { path: 0, ls: 0, get: 1, set: 2, unset: 1, explain: 1 } as const;
type Action = keyof typeof ACTIONS;
const ACTION_NAMES: readonly string[] = Object.keys(ACTIONS);

const CONFIG_ARGUMENTS = {
  action: { type: "positional", options: ACTION_NAMES, description: "path, ls, get, set, unset or explain" },
  key: { type: "positional", description: 'A setting, as "agent config ls" lists them' },
  value: { type: "positional", description: "For set: JSON where the setting takes it, otherwise text" },
  cwd: { type: "string", alias: "C", valueHint: "dir", description: "The directory whose project files count", defaultHint: "the current one" },
  json: { type: "boolean", description: "Print JSON: with ls, get and explain" },
} as const;

type Input = CommandInput<typeof CONFIG_ARGUMENTS>;

export default defineCliCommand({
  name: "config",
  description: "Show and change settings",
  examples: [
    "agent config ls",
    "agent config set model haiku",
    "agent config set permissions.deny '[\"Bash(rm:*)\"]'",
    "agent config set modelAliases.fast claude-haiku-5-5",
    "agent config unset model",
    "agent config explain maxTurns",
  ],
  args: CONFIG_ARGUMENTS,
  async run(input) {
    const { action, key, value } = words(input.values);
    const file = resolveStatePaths(input.io.env).config;
    switch (action) {
      case "path":
        return await print(input.io, file);
      case "set":
        setUserSetting(file, { key, value });
        return EXIT_CODES.ok;
      case "unset":
        if (!unsetUserSetting(file, key)) await input.io.stderr.write(`agent: "${key}" is not set in "${file}"\n`);
        return EXIT_CODES.ok;
      case "ls":
      case "get":
      case "explain":
        return await show(action, key, input);
    }
  },
});

async function show(action: "ls" | "get" | "explain", key: string, { values, io }: Input): Promise<ExitCode> {
  const setting = action === "ls" ? undefined : parseSettingPath(key);
  const { explanations, warnings } = await effectiveSettings({
    cwd: directoryFlag("--cwd", values.cwd ?? "."),
    paths: resolveStatePaths(io.env),
    env: io.env,
  });
  for (const warning of warnings) await io.stderr.write(`agent: ${visibleText(warning)}\n`);
  const explanation = explanations.find(({ key: name }) => name === setting?.name);
  if (setting === undefined || explanation === undefined) {
    return await print(io, values.json === true ? JSON.stringify(explanations) : settingsTable(explanations));
  }
  if (action === "explain") return await print(io, values.json === true ? JSON.stringify({ v: 1, ...explanation }) : explanationText(explanation));
  const value = setting.path.length === setting.name.split(".").length ? explanation.value : entryOf(explanation.value, setting.path);
  return await print(io, values.json === true ? JSON.stringify(value ?? null) : settingText(value));
}

/** One entry of a table, as `modelAliases.fast`. */
function entryOf(table: unknown, path: readonly string[]): unknown {
  const name = path.at(-1) ?? "";
  if (isRecord(table) && Object.hasOwn(table, name)) return table[name];
  throw new AppError("not_found", `"${path.join(".")}" is not set: see "agent config get ${path[0] ?? ""}"`);
}

async function print(io: CliIo, text: string): Promise<ExitCode> {
  await io.stdout.write(text === "" || text.endsWith("\n") ? text : `${text}\n`);
  return EXIT_CODES.ok;
}

function isAction(word: string | undefined): word is Action {
  return word !== undefined && ACTION_NAMES.includes(word);
}

function words({ action, key, value }: Input["values"]): { readonly action: Action; readonly key: string; readonly value: string } {
  if (!isAction(action)) {
    const nearest = action === undefined ? undefined : nearestName(action, ACTION_NAMES);
    const hint = nearest === undefined ? `it takes ${ACTION_NAMES.join(", ")}` : `did you mean "${nearest}"?`;
    const problem = action === undefined ? 'Missing what to do behind "agent config"' : `Unknown word "${action}" behind "agent config"`;
    throw new AppError("usage", `${problem}: ${hint}`, { code: "bad_value" });
  }
  const given = [key, value].filter((word) => word !== undefined).length;
  if (given !== ACTIONS[action]) {
    const form = ["agent config", action, ...["KEY", "VALUE"].slice(0, ACTIONS[action])].join(" ");
    throw new AppError("usage", `Cannot use ${given} ${given === 1 ? "word" : "words"} behind "agent config ${action}": write "${form}"`, { code: "bad_value" });
  }
  return { action, key: key ?? "", value: value ?? "" };
}
