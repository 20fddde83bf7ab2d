/** A text of more words than this is not plain, so that looking at it is cheap. */
const TEXT_CHARS_MAX = 65_536;
const WORDS_MAX = 1_000;

/** One space between words, no character with a meaning to a shell, and none outside ASCII. */
const PLAIN_TEXT = /^[A-Za-z0-9_./:=@%+,-]+(?: [A-Za-z0-9_./:=@%+,-]+)*$/;

/**
 * The words of a text in which a shell finds nothing but words: neither quotes nor variables, patterns, redirections,
 * operators or assignments. Undefined for every other text.
 */
export function plainWords(text: string): readonly string[] | undefined {
  if (text.length > TEXT_CHARS_MAX || !PLAIN_TEXT.test(text)) return undefined;
  const words = text.split(" ");
  return words.length > WORDS_MAX || words[0]?.includes("=") === true ? undefined : words;
}
