/** How much of what is kept stands at the end. */
const TAIL_SHARE = 0.25;

/**
 * A text of at most `charsMax` UTF-16 units without its middle; a note there, on top of the limit, counts what is missing.
 * What somebody wants to hide behind a long text is at its end.
 */
export function clipMiddle(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const tailLength = Math.floor(charsMax * TAIL_SHARE);
  const head = text.slice(0, charsMax - tailLength).toWellFormed();
  const tail = text.slice(text.length - tailLength).toWellFormed();
  return `${head} ⟨${text.length - charsMax} characters left out⟩ ${tail}`;
}
