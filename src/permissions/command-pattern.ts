import { basename } from "node:path";
import type { ShellWord } from "../core/shell-command.ts";

/** What `Bash(…)` says about commands: their first words, the last of which may be the start of a word. */
export interface CommandPattern {
  readonly words: readonly string[];
  /** `:*` or ` *` at the end: more words may follow. */
  readonly isOpen: boolean;
  /** `*` at the end of the last word: it is the start of a word, and more words may follow. */
  readonly isLastPartial: boolean;
}

/** `npm test:*`, `npm test *`, `npm run test*` or the exact words. */
export function parseCommandPattern(spec: string): CommandPattern {
  const open = /^(.*?)(?::\*| +\*)$/s.exec(spec.trim());
  const text = open?.[1] ?? spec.trim();
  const isLastPartial = open === null && text.endsWith("*");
  const words = (isLastPartial ? text.slice(0, -1) : text).split(/\s+/).filter((word) => word !== "");
  return { words, isOpen: open !== null || isLastPartial, isLastPartial };
}

/** How many words of a command a pattern spells out. */
export function spelledWords(pattern: CommandPattern): number {
  return pattern.words.length - (pattern.isLastPartial ? 1 : 0);
}

/** Whether a command begins with the words of a pattern, or is just them where the pattern is not open. */
export function coversWords(pattern: CommandPattern, words: readonly ShellWord[]): boolean {
  if (words.length < pattern.words.length) return false;
  if (!pattern.isOpen && words.length !== pattern.words.length) return false;
  return pattern.words.every((wanted, index) => {
    const { value, prefix = "" } = words[index] ?? {};
    const isPartial = pattern.isLastPartial && index === pattern.words.length - 1;
    return isPartial ? prefix.startsWith(wanted) : value === wanted;
  });
}

/**
 * Whether a command may be one that a pattern forbids. Errs on the side of yes: the program counts with any path in
 * front and in any letter case, the other words wherever they stand in this order, also glued to an option, and short
 * options in any grouping. What the shell computes may be anything.
 */
export function mayRunWords(pattern: CommandPattern, words: readonly ShellWord[]): boolean {
  const [program, ...wanted] = pattern.words;
  const [actual, ...rest] = words;
  if (program === undefined) return true;
  if (actual === undefined) return false;
  const isPartial = (index: number) => pattern.isLastPartial && index === pattern.words.length - 1;
  if (!isProgram(program, actual, isPartial(0))) return false;
  let next = 0;
  for (const word of rest) {
    while (next < wanted.length && mayBeWord(wanted[next] ?? "", word, isPartial(next + 1))) {
      next++;
      if (!word.isMultiple) break;
    }
    if (next === wanted.length) return true;
  }
  return wanted.slice(next).every((option) => isAmongShortOptions(option, rest));
}

function isProgram(wanted: string, { value, prefix }: ShellWord, isPartial: boolean): boolean {
  if (value === undefined) return prefix === "" || prefix.includes("/") || wanted.startsWith(prefix) || (isPartial && prefix.startsWith(wanted));
  const name = basename(wanted).toLowerCase();
  const actual = basename(value).toLowerCase();
  return isPartial ? actual.startsWith(name) : actual === name;
}

function mayBeWord(wanted: string, { value, prefix }: ShellWord, isPartial: boolean): boolean {
  const lower = wanted.toLowerCase();
  if (value === undefined) return lower.startsWith(prefix.toLowerCase()) || (isPartial && prefix.toLowerCase().startsWith(lower));
  return spellingsOf(value.toLowerCase()).some((spelling) => (isPartial ? spelling.startsWith(lower) : spelling === lower));
}

function spellingsOf(word: string): readonly string[] {
  const parts = word.split("=");
  return [word, basename(word), ...parts, ...parts.map((part) => basename(part)), word.replace(/^-[a-z]/, "")];
}

/** `-rf` is also `-r -f` and `-fr`. */
function isAmongShortOptions(wanted: string, words: readonly ShellWord[]): boolean {
  if (!/^-[A-Za-z]{1,8}$/.test(wanted)) return false;
  const given = new Set(words.flatMap(({ value = "" }) => (/^-[A-Za-z]+$/.test(value) ? value.slice(1).split("") : [])));
  return wanted.slice(1).split("").every((letter) => given.has(letter));
}
