import type { ExitCode } from "../core/exit-code.ts";
import type { OutputWriter } from "../platform/output-writer.ts";

/** One flag or positional argument of a command. Help, strict parsing and the environment form all come from this. */
export interface ArgumentDefinition {
  readonly type: "string" | "boolean" | "enum" | "positional";
  readonly description: string;
  /** One letter. */
  readonly alias?: string;
  readonly valueHint?: string;
  /** The values of an enum; of a positional argument, what a shell offers for it. */
  readonly options?: readonly string[];
  /** Whether it may be given more than once; its value is then an array. */
  readonly isMultiple?: true;
  /** What a flag means that is given without a value. One behind it counts where it reads as a duration, or behind "=". */
  readonly impliedValue?: string;
  /** The environment variable that stands in where the flag is not given. */
  readonly env?: string;
  /** Shown in help; the command itself applies it. */
  readonly defaultHint?: string;
}

export type ArgumentTable = Readonly<Record<string, ArgumentDefinition>>;

type ArgumentValue<Definition extends ArgumentDefinition> = Definition extends { readonly isMultiple: true }
  ? readonly string[]
  : Definition extends { readonly type: "boolean" }
    ? boolean | undefined
    : Definition extends { readonly type: "enum"; readonly options: readonly (infer Option)[] }
      ? Option | undefined
      : string | undefined;

export type ArgumentValues<Table extends ArgumentTable> = { readonly [Name in keyof Table]: ArgumentValue<Table[Name]> };

/** What a command was given. */
export interface CommandInput<Table extends ArgumentTable = ArgumentTable> {
  readonly values: ArgumentValues<Table>;
  /** What stood behind `--`; undefined without one. */
  readonly afterTerminator: readonly string[] | undefined;
  readonly io: CliIo;
  readonly program: ProgramInfo;
}

/** What a command can learn about the others without importing them. */
export interface ProgramInfo {
  /** The commands of this build that are for people. */
  readonly commandNames: readonly string[];
  /**
   * The help of a command, or of the whole program without one. Rejects with an `AppError` of reason `usage` for a name
   * that is no command.
   */
  helpOf(name?: string): Promise<string>;
  /** The commands that are for people, loaded. */
  loadCommands(): Promise<readonly CliCommand[]>;
}

/** The world as a command sees it. */
export interface CliIo {
  readonly stdout: OutputWriter;
  readonly stderr: OutputWriter;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isStdinTty: boolean;
  readonly isStdoutTty: boolean;
  readonly isStderrTty: boolean;
  /** How wide the terminal on stdout (1) or stderr (2) says it is, undefined where there is none; the system is asked unless given. */
  readonly columnsOf?: (descriptor: 1 | 2) => number | undefined;
}

export interface CliCommand<Table extends ArgumentTable = ArgumentTable> {
  readonly name: string;
  readonly description: string;
  /** Whole command lines, the most useful first. */
  readonly examples: readonly string[];
  readonly args: Table;
  /** Resolves to the exit status. Throws `AppError` for expected failures. */
  run(input: CommandInput<Table>): Promise<ExitCode>;
}

/** Ties the values that `run` gets to the table of arguments. */
export function defineCliCommand<const Table extends ArgumentTable>(command: CliCommand<Table>): CliCommand {
  // The registry holds commands of every table; parseArguments makes the values that fit this one.
  return command;
}
