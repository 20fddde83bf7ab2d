import type { ParseArgsOptionsConfig, parseArgs } from "node:util";
import { AppError, systemErrorCode } from "../core/errors.ts";
import { parseDurationMs } from "../lib/duration.ts";
import { nearestName } from "../lib/nearest-name.ts";
import type { ArgumentDefinition, ArgumentTable } from "./command.ts";

export interface ParsedArguments {
  readonly values: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
  readonly afterTerminator: readonly string[] | undefined;
  readonly isHelpAsked: boolean;
}

/**
 * Parses the words behind a command's name, strictly: an unknown flag, a missing or impossible value and a surplus
 * argument are each an `AppError` of reason `usage`. Where a flag is not given, its environment variable counts.
 */
export function parseArguments(
  commandName: string,
  table: ArgumentTable,
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ParsedArguments {
  const { values, tokens } = parse(commandName, table, argv);
  const terminator = tokens.find((token) => token.kind === "option-terminator")?.index;
  const words = tokens.filter((token) => token.kind === "positional");
  const before = words.filter((word) => terminator === undefined || word.index < terminator).map((word) => word.value);
  const after = terminator === undefined ? undefined : words.filter((word) => word.index > terminator).map((word) => word.value);
  const takesCommand = table["exec"] !== undefined && values["exec"] === true;
  const positionals = takesCommand ? before : [...before, ...(after ?? [])];

  const result: Record<string, string | boolean | readonly string[] | undefined> = {};
  for (const [name, definition] of Object.entries(table)) {
    if (definition.type === "positional") continue;
    result[name] = checkedValue(commandName, name, definition, values[name] ?? fromEnvironment(definition, env));
  }
  Object.assign(result, assignPositionals(commandName, table, positionals));
  return { values: result, afterTerminator: takesCommand ? after : undefined, isHelpAsked: values["help"] === true };
}

type Parsed = Pick<ReturnType<typeof parseArgs<{ args: string[]; options: ParseArgsOptionsConfig; strict: boolean; allowPositionals: boolean; allowNegative: boolean; tokens: true }>>, "values" | "tokens">;

function parse(commandName: string, table: ArgumentTable, argv: readonly string[]): Parsed {
  // The parser's module costs a sixth of the start of a short command, so it is loaded where there is a word to parse.
  if (argv.length === 0) return { values: {}, tokens: [] };
  const words = withImpliedValues(table, argv);
  const options: ParseArgsOptionsConfig = { help: { type: "boolean", short: "h" } };
  for (const [name, definition] of Object.entries(table)) {
    if (definition.type === "positional") continue;
    options[name] = {
      type: definition.type === "boolean" ? "boolean" : "string",
      multiple: definition.isMultiple === true,
      ...(definition.alias === undefined ? {} : { short: definition.alias }),
    };
  }
  try {
    return process.getBuiltinModule("node:util").parseArgs({ args: [...words], options, strict: true, allowPositionals: true, allowNegative: true, tokens: true });
  } catch (error) {
    throw explain(commandName, Object.keys(options), error, argv);
  }
}

/** Gives a value to flags that stand without one. */
function withImpliedValues(table: ArgumentTable, argv: readonly string[]): string[] {
  const end = argv.indexOf("--");
  return argv.map((word, index) => {
    const implied = word.startsWith("--") && (end === -1 || index < end) ? table[word.slice(2)]?.impliedValue : undefined;
    return implied === undefined || parseDurationMs(argv[index + 1] ?? "") !== undefined ? word : `${word}=${implied}`;
  });
}

/** Says what parseArgs found in our own words, with the flag that was probably meant. */
function explain(commandName: string, names: readonly string[], error: unknown, argv: readonly string[]): AppError {
  const text = error instanceof Error ? error.message : String(error);
  const see = `see "agent ${commandName} --help"`;
  if (systemErrorCode(error) === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const { flag, word } = unknownFlag(text, argv);
    const nearest = nearestName(word.replace(/^-+/, "").split("=", 1)[0] ?? "", names);
    const hint = nearest === undefined ? see : `did you mean --${nearest}? Otherwise ${see}`;
    const place = word === flag ? "" : ` in "${word}"`;
    return new AppError("usage", `Unknown flag "${flag}"${place} of "agent ${commandName}": ${hint}`, { code: "unknown_flag" });
  }
  const flag = /'([^']*)'/.exec(text)?.[1]?.replace(/ <value>$/, "");
  const subject = flag === undefined ? text : `"${flag}"`;
  return new AppError("usage", `Cannot use ${subject} of "agent ${commandName}": its value is missing or does not fit; ${see}`, { code: "bad_value" });
}

/** Of several letters behind one dash the message names the unknown one alone. */
function unknownFlag(message: string, argv: readonly string[]): { readonly flag: string; readonly word: string } {
  const named = /'([^']+)'/.exec(message)?.[1] ?? "";
  if (named.startsWith("-") && named !== "-") return { flag: named, word: named };
  const flag = `-${named}`;
  return { flag, word: argv.find((word) => /^-[^-]/.test(word) && word.slice(1).includes(named)) ?? flag };
}

function fromEnvironment(definition: ArgumentDefinition, env: Readonly<Record<string, string | undefined>>): string | boolean | undefined {
  const value = definition.env === undefined ? undefined : env[definition.env];
  if (value === undefined || value === "") return undefined;
  return definition.type === "boolean" ? !["0", "false", "no", "off"].includes(value.toLowerCase()) : value;
}

function checkedValue(
  commandName: string,
  name: string,
  definition: ArgumentDefinition,
  value: string | boolean | (string | boolean)[] | undefined,
): string | boolean | readonly string[] | undefined {
  if (definition.isMultiple === true) return value === undefined ? [] : [value].flat().map(String);
  if (Array.isArray(value)) return String(value.at(-1));
  if (value === "" && definition.type !== "boolean") {
    throw new AppError("usage", `The value of --${name} is empty: give one, or leave the flag out of "agent ${commandName}"`, { code: "bad_value" });
  }
  if (definition.type === "enum" && value !== undefined && !(definition.options ?? []).includes(String(value))) {
    const nearest = nearestName(String(value), definition.options ?? []);
    const hint = nearest === undefined ? "" : ` (did you mean "${nearest}"?)`;
    throw new AppError("usage", `Cannot use "${String(value)}" for --${name}${hint}: it takes ${(definition.options ?? []).join(", ")}`, { code: "bad_value" });
  }
  return value;
}

function assignPositionals(commandName: string, table: ArgumentTable, words: readonly string[]): Record<string, string | readonly string[] | undefined> {
  const result: Record<string, string | readonly string[] | undefined> = {};
  let rest = words;
  for (const [name, definition] of Object.entries(table)) {
    if (definition.type !== "positional") continue;
    if (definition.isMultiple === true) {
      result[name] = rest;
      rest = [];
    } else {
      result[name] = rest[0];
      rest = rest.slice(1);
    }
  }
  if (rest.length > 0) {
    const sentence = ["prompt", "message"].find((name) => table[name] !== undefined);
    const hint = sentence === undefined ? `see "agent ${commandName} --help"` : `put the ${sentence} in quotes`;
    throw new AppError("usage", `Unexpected argument "${rest[0] ?? ""}" of "agent ${commandName}": ${hint}`, { code: "surplus_argument" });
  }
  return result;
}
