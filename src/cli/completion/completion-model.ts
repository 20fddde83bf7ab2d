import type { ArgumentDefinition, CliCommand } from "../command.ts";

/** What a shell offers for a word. */
export type Offer =
  | { readonly type: "words"; readonly words: readonly string[] }
  | { readonly type: "tasks" | "files" | "directories" }
  /** Nobody but the user knows what stands there. */
  | { readonly type: "nothing" };

export interface CompletedFlag {
  /** Without its dashes. */
  readonly name: string;
  readonly letter: string | undefined;
  readonly description: string;
  readonly isMultiple: boolean;
  /** What its value is; undefined where it takes none. */
  readonly value: Offer | undefined;
}

export interface CompletedArgument {
  readonly name: string;
  readonly isMultiple: boolean;
  readonly offer: Offer;
}

/** What a shell has to know of a command. */
export interface CompletedCommand {
  readonly name: string;
  readonly description: string;
  readonly flags: readonly CompletedFlag[];
  /** In their order. */
  readonly arguments: readonly CompletedArgument[];
  /** Whether another command may stand behind `--`. */
  readonly takesCommand: boolean;
}

/** Reads the tables of the commands for the completions of all shells. */
export function completionModel(commands: readonly CliCommand[]): CompletedCommand[] {
  const names = commands.map((command) => command.name);
  return commands.map(({ name, description, args }) => {
    const entries = Object.entries(args);
    const flags = entries.filter(([, definition]) => definition.type !== "positional").map(([flag, definition]) => completedFlag(flag, definition));
    const positionals = entries.filter(([, definition]) => definition.type === "positional");
    return {
      name,
      description,
      flags: [...flags, HELP_FLAG],
      arguments: positionals.map(([argument, definition]) => ({
        name: argument,
        isMultiple: definition.isMultiple === true,
        offer: argumentOffer(argument, definition, names),
      })),
      takesCommand: args["exec"] !== undefined,
    };
  });
}

const HELP_FLAG: CompletedFlag = { name: "help", letter: "h", description: "Show the help of the command", isMultiple: false, value: undefined };

function completedFlag(name: string, { type, alias, description, options, isMultiple, valueHint }: ArgumentDefinition): CompletedFlag {
  const value: Offer = options === undefined ? HINTED_OFFERS[valueHint ?? ""] ?? NOTHING : { type: "words", words: options };
  return { name, letter: alias, description, isMultiple: isMultiple === true, value: type === "boolean" ? undefined : value };
}

const NOTHING: Offer = { type: "nothing" };

/** By what the help says that the value is. */
const HINTED_OFFERS: Readonly<Record<string, Offer | undefined>> = { id: { type: "tasks" }, file: { type: "files" }, dir: { type: "directories" } };

function argumentOffer(name: string, { options }: ArgumentDefinition, commandNames: readonly string[]): Offer {
  if (options !== undefined) return { type: "words", words: options };
  if (name === "task") return { type: "tasks" };
  return name === "command" ? { type: "words", words: commandNames } : NOTHING;
}
