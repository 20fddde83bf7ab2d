import type { ShellWord } from "../../core/shell-command.ts";

/**
 * Whether `test` or `[` may evaluate what stands in the brackets of a name: where a word is, or may be, `-v` or `-R`, and
 * the one behind it is, or may be, such a name. A word that may become several can be both.
 */
export function problemOfTest(words: readonly ShellWord[]): boolean {
  return words.some((word, index) => word.isMultiple || (mayEvaluate(word) && mayHoldBracket(words[index + 1])));
}

function mayEvaluate({ value, prefix }: ShellWord): boolean {
  return value === undefined ? ["-v", "-R"].some((option) => option.startsWith(prefix)) : value === "-v" || value === "-R";
}

function mayHoldBracket(word: ShellWord | undefined): boolean {
  return word !== undefined && (word.value === undefined || (word.value.includes("[") && word.value !== "["));
}
