import type { ShellWord } from "../../core/shell-command.ts";

/** The options of a program that starts another one, as far as they cannot start anything themselves. */
export interface WrapperOptions {
  /** Letters of options without a value. */
  readonly flags?: string;
  /** Letters of options with one. */
  readonly valued?: string;
  readonly long?: readonly string[];
  readonly longValued?: readonly string[];
}

/** The index of the first word behind the options of `words[0]`, or the option that is not known. */
export function parseWrapperOptions(options: WrapperOptions, words: readonly ShellWord[]): number | string {
  let index = 1;
  for (; index < words.length; index++) {
    const word = words[index]?.value;
    if (word === undefined) return words[index]?.prefix.match(/^[^-]/) ? index : "a computed option";
    if (word === "--") return index + 1;
    if (word === "-" || !word.startsWith("-")) return index;
    const width = widthOf(word, options);
    if (width === undefined) return `the option "${word}"`;
    index += width - 1;
  }
  return index;
}

/** How many words an option takes; undefined where it is not known. */
function widthOf(word: string, { flags = "", valued = "", long = [], longValued = [] }: WrapperOptions): number | undefined {
  if (word.startsWith("--")) {
    const name = word.slice(2).split("=", 1)[0] ?? "";
    if (long.includes(name)) return 1;
    if (longValued.includes(name)) return word.includes("=") ? 1 : 2;
    return undefined;
  }
  for (let at = 1; at < word.length; at++) {
    const letter = word[at] ?? "";
    if (valued.includes(letter)) return at === word.length - 1 ? 2 : 1;
    if (!flags.includes(letter)) return undefined;
  }
  return 1;
}
