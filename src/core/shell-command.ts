/**
 * One word of a command, as far as it is certain before anything runs.
 *
 * `value` is there where the word is literal: quotes and escapes are gone. Where the shell computes the word, `prefix` is
 * how it begins in any case, maybe empty.
 */
export interface ShellWord {
  readonly value?: string;
  /** The whole value of a literal word. */
  readonly prefix: string;
  /** Whether the shell may make none or several words of it. Each of several begins as `prefix` says only where they come from `glob`. */
  readonly isMultiple: boolean;
  /** Set where the only thing that the shell computes is which files of one directory match. */
  readonly glob?: ShellGlob;
}

export interface ShellGlob {
  /** What stands before the pattern: empty, or ending with a slash. */
  readonly directory: string;
  /** Whether the pattern begins with a dot, and so may mean hidden files. */
  readonly isForHidden: boolean;
}

export interface ShellAssignment {
  readonly name: string;
  readonly value: ShellWord;
}

/**
 * - `read`: `<`
 * - `write`: `>`, `>>`, `>|`, `&>`, `&>>`, `>&` with a file, `<>`
 * - `input`: a here-document or here-string; its text is data
 */
export type ShellRedirection =
  | { readonly kind: "read" | "write"; readonly target: ShellWord }
  | { readonly kind: "input" };

/**
 * A simple command: what the shell starts, with which words. Without words it is assignments or redirections alone, as
 * of a loop or a block.
 */
export interface ShellCommand {
  /** The program first. */
  readonly words: readonly ShellWord[];
  /** Those in front of the program: they hold for it alone. Where there is none, they set variables of the shell. */
  readonly assignments: readonly ShellAssignment[];
  readonly redirections: readonly ShellRedirection[];
  /** Every directory in which it may run, relative to the one the shell starts in, or absolute. At least one. */
  readonly directories: readonly string[];
  /** As written, for people. */
  readonly text: string;
  /** What it starts in its turn, as `timeout 5 make` starts `make`. */
  readonly inner?: InnerCommands;
}

export interface InnerCommands {
  readonly analysis: ShellAnalysis;
  /** The index of the first word that says what is started. */
  readonly start: number;
  /** Whether the outer program does nothing of its own, so that whoever allows the inner commands allows all of it. */
  readonly isTransparent: boolean;
}

export interface ShellAnalysis {
  /** Every simple command that was seen, in the order of the text; of an opaque text maybe not all. */
  readonly commands: readonly ShellCommand[];
  /** Names for which the text itself defines functions. What is in these is among the commands. */
  readonly functions: ReadonlySet<string>;
  /** Why it cannot be told what else runs; absent where everything was seen. */
  readonly opaque?: string;
}
