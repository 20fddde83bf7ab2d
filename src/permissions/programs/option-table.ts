/**
 * What is known of the options of a program. Each list holds letters and long names, as `"abc --all --brief"`: the first
 * words are letters that stand together, those with two dashes are long names.
 */
export interface OptionTable {
  /** Without a value. */
  readonly flags?: string;
  /** With a value that names no file. */
  readonly values?: string;
  /** With a number, which another system may take as a word of its own where it is none. */
  readonly numbers?: string;
  /** With a value that names no file and is there only where it is attached, as `--color=always`. */
  readonly attached?: string;
  /** The value names a file or directory that is read. */
  readonly reads?: string;
  /** The value names a file or directory that is written. */
  readonly writes?: string;
  /** As expected of the program, but not proven to be harmless. */
  readonly impure?: string;
  readonly impureValues?: string;
  /** Runs something, or writes what no argument names. */
  readonly danger?: string;
  readonly dangerValues?: string;
  readonly dangerAttached?: string;
  /**
   * What an option may do that is in no list:
   * - `harmless`: nothing that a rule for the program does not cover, on any system, but it is not proven
   * - `tolerated`: the same, for a program that has dangerous options, all of which are in the lists
   * - `dangerous`: anything
   */
  readonly unlisted: "harmless" | "tolerated" | "dangerous";
  readonly operands: OperandKind;
  /** The operands that start something, or change what is started. */
  readonly dangerousOperand?: RegExp;
  /** The options that say what the first operand says otherwise, as `-e` of grep and `-t` of cp: it is like the others then. */
  readonly firstBy?: readonly string[];
  /** The options with which it reads the working directory where no operand names anything. */
  readonly hereBy?: readonly string[];
  /** Whether what it does otherwise makes it impure in any case. */
  readonly isImpure?: true;
}

/**
 * - `none`: an operand counts as an option that is not listed
 * - `data`: they name no files
 * - `read`, `write`: all name what is read, or written
 * - `read-here`: as `read`, and the working directory where there are none
 * - `data-read`, `data-write`: the first is data
 * - `data-read-here`: as `data-read`, and the working directory where there are no others
 * - `copy`, `move`: the last is the target, the others are the sources
 * - `link`: as `copy`, and with one alone the working directory is the target
 * - `filter`: the first is read, the second is written
 */
export type OperandKind = "none" | "data" | "read" | "read-here" | "write" | "data-read" | "data-read-here" | "data-write" | "copy" | "move" | "link" | "filter";

export interface OptionRule {
  readonly takes: "nothing" | "value" | "attached";
  readonly effect: "none" | "number" | "read" | "write" | "impure" | "danger";
}

/** The options of a table by `-a` or `--all`. */
export function optionRules(table: OptionTable): ReadonlyMap<string, OptionRule> {
  const rules = new Map<string, OptionRule>();
  for (const { names, ...rule } of [
    { names: table.flags, takes: "nothing", effect: "none" },
    { names: table.values, takes: "value", effect: "none" },
    { names: table.numbers, takes: "value", effect: "number" },
    { names: table.attached, takes: "attached", effect: "none" },
    { names: table.reads, takes: "value", effect: "read" },
    { names: table.writes, takes: "value", effect: "write" },
    { names: table.impure, takes: "nothing", effect: "impure" },
    { names: table.impureValues, takes: "value", effect: "impure" },
    { names: table.danger, takes: "nothing", effect: "danger" },
    { names: table.dangerValues, takes: "value", effect: "danger" },
    { names: table.dangerAttached, takes: "attached", effect: "danger" },
  ] as const) {
    for (const name of namesOf(names ?? "")) rules.set(name, rule);
  }
  return rules;
}

function namesOf(list: string): readonly string[] {
  return list.split(/\s+/).flatMap((word) => (word.startsWith("--") ? [word] : Array.from(word, (letter) => `-${letter}`)));
}
