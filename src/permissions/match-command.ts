import { basename } from "node:path";

/** What `Bash(…)` says about commands: their first words, the last of which may be the start of a word. */
export interface CommandPattern {
  readonly words: readonly string[];
  /** `:*` or ` *` at the end: more words may follow. */
  readonly isOpen: boolean;
  /** `*` at the end of the last word: it is the start of a word, and more words may follow. */
  readonly isLastPartial: boolean;
}

/** Longer commands, and those of more words, are opaque, so that looking at one is cheap. */
export const COMMAND_BYTES_MAX = 65_536;
const COMMAND_WORDS_MAX = 1_000;

/**
 * The words of a plain command; undefined where a shell might make anything else of it than starting the first word with
 * the others as its arguments. Quotes, variables, globs, redirections, lists, assignments, control characters: all of
 * them make a command opaque.
 */
export function plainCommandWords(command: string): readonly string[] | undefined {
  if (command.length > COMMAND_BYTES_MAX || !PLAIN_COMMAND.test(command)) return undefined;
  const words = command.split(" ");
  return words.length > COMMAND_WORDS_MAX || words[0]?.includes("=") === true ? undefined : words;
}

/** `npm test:*`, `npm test *`, `npm run test*` or the exact words. */
export function parseCommandPattern(spec: string): CommandPattern {
  const open = /^(.*?)(?::\*| +\*)$/s.exec(spec.trim());
  const text = open?.[1] ?? spec.trim();
  const isLastPartial = open === null && text.endsWith("*");
  const words = (isLastPartial ? text.slice(0, -1) : text).split(/\s+/).filter((word) => word !== "");
  return { words, isOpen: open !== null || isLastPartial, isLastPartial };
}

/** Whether a command is plain and begins with the words of a pattern, or is just them where the pattern is not open. */
export function allowsCommand(pattern: CommandPattern, command: string): boolean {
  const words = plainCommandWords(command);
  if (words === undefined || words.length < pattern.words.length) return false;
  if (!pattern.isOpen && words.length !== pattern.words.length) return false;
  return pattern.words.every((word, index) => {
    const actual = words[index] ?? "";
    return pattern.isLastPartial && index === pattern.words.length - 1 ? actual.startsWith(word) : actual === word;
  });
}

/**
 * Whether a command may be one that a pattern forbids. Errs on the side of yes: the words of the pattern count wherever
 * they stand in this order, in any letter case, with any path in front, behind `env`, `timeout` and the like, and glued
 * to an option.
 */
export function mayRunCommand(pattern: CommandPattern, command: string): boolean {
  if (pattern.words.length === 0) return true;
  const words = command.slice(0, COMMAND_BYTES_MAX).toLowerCase().split(/[^\p{L}\p{N}_./:=@%+,~-]+/u);
  let next = 0;
  for (const word of words) {
    const wanted = pattern.words[next]?.toLowerCase() ?? "";
    const isPartial = pattern.isLastPartial && next === pattern.words.length - 1;
    if (spellingsOf(word).some((spelling) => (isPartial ? spelling.startsWith(wanted) : spelling === wanted))) next++;
    if (next === pattern.words.length) return true;
  }
  return false;
}

/** Whether it cannot be told which commands a command runs: it is opaque, or it hands text to another shell. */
export function hidesCommands(command: string): boolean {
  const words = plainCommandWords(command);
  if (words === undefined) return true;
  return words[0] === "." || words.some((word) => INTERPRETERS.has(basename(word).toLowerCase()));
}

/** One space between words, no character with a meaning to a shell, and none outside ASCII. */
const PLAIN_COMMAND = /^[A-Za-z0-9_./:=@%+,-]+(?: [A-Za-z0-9_./:=@%+,-]+)*$/;

/** What runs commands from a file, from its input or from text. Programs of other languages are not told apart. */
const INTERPRETERS: ReadonlySet<string> = new Set(
  ["ash", "bash", "busybox", "csh", "dash", "fish", "ksh", "mksh", "pwsh", "sh", "tcsh", "zsh", "coproc", "eval", "source", "trap", "xargs", "parallel"],
);

function spellingsOf(word: string): readonly string[] {
  const parts = word.split("=");
  return [word, basename(word), ...parts, ...parts.map((part) => basename(part)), word.replace(/^-[a-z]/, "")];
}
