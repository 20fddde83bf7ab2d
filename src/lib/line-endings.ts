export type LineEnd = "\r\n" | "\n" | "\r";

export interface NormalizedText {
  /** The text with every line end, a lone carriage return too, as a line feed. */
  readonly text: string;
  /** Where an offset of `text` stands in the original. */
  originalOffset(offset: number): number;
}

/** Text in which lines can be searched whatever their ends, with the way back to the original. */
export function normalizeLineEnds(original: string): NormalizedText {
  if (!original.includes("\r")) return { text: original, originalOffset: (offset) => offset };
  const pairs = pairOffsets(original);
  return {
    text: original.replace(/\r\n?/g, "\n"),
    originalOffset: (offset) => offset + countBelow(pairs, offset),
  };
}

/** The one line end that all lines of a text have; undefined where there is no line end or several kinds. */
export function uniformLineEnd(text: string): LineEnd | undefined {
  let uniform: LineEnd | undefined;
  for (const [end] of text.matchAll(LINE_END)) {
    if (uniform !== undefined && end !== uniform) return undefined;
    uniform = asLineEnd(end);
  }
  return uniform;
}

/** The line end that belongs to a place: that of its line, else the last before it, else a line feed. */
export function lineEndAt(text: string, offset: number): LineEnd {
  const next = text.slice(offset).match(LINE_END_FIRST)?.[0];
  if (next !== undefined) return asLineEnd(next);
  const feed = text.lastIndexOf("\n");
  if (feed > text.lastIndexOf("\r")) return text[feed - 1] === "\r" ? "\r\n" : "\n";
  return text.includes("\r") ? "\r" : "\n";
}

/** Lines with their ends; the last one has the end "". Joined again they are the text. */
export function splitLines(text: string): readonly { readonly text: string; readonly end: LineEnd | "" }[] {
  const lines: { text: string; end: LineEnd | "" }[] = [];
  let start = 0;
  for (const match of text.matchAll(LINE_END)) {
    lines.push({ text: text.slice(start, match.index), end: asLineEnd(match[0]) });
    start = match.index + match[0].length;
  }
  lines.push({ text: text.slice(start), end: "" });
  return lines;
}

const LINE_END = /\r\n|\n|\r/g;
const LINE_END_FIRST = /\r\n|\n|\r/;

function asLineEnd(text: string): LineEnd {
  return text === "\r\n" || text === "\r" ? text : "\n";
}

/** The offsets, in the normalized text, of line feeds that were a pair of characters. */
function pairOffsets(original: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = original.indexOf("\r\n"); at !== -1; at = original.indexOf("\r\n", at + 2)) offsets.push(at - offsets.length);
  return offsets;
}

/** How many of the ascending numbers are below `limit`. */
function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
