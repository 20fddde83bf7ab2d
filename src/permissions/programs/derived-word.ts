import type { ShellWord } from "../../core/shell-command.ts";

/** A word that stands in no command but says what is meant, as the working directory where nothing is named. */
export function literalWord(value: string): ShellWord {
  return { value, prefix: value, isMultiple: false };
}

/** What a word holds behind its first characters, all of which are certain. */
export function restOfWord(word: ShellWord, length: number): ShellWord {
  if (word.value !== undefined) return literalWord(word.value.slice(length));
  return { prefix: word.prefix.slice(length), isMultiple: word.isMultiple };
}

/** Whether the shell may put other words in its place, which need not begin as it does. */
export function maySplit(word: ShellWord): boolean {
  return word.isMultiple && word.glob === undefined;
}

/** Whether a word that is computed, or one of those it becomes, may begin with a dash. */
export function mayBecomeOption(word: ShellWord): boolean {
  return word.value === undefined && (maySplit(word) || word.prefix === "" || word.prefix.startsWith("-"));
}
