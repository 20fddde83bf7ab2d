import { lineEndAt, normalizeLineEnds, splitLines, type LineEnd } from "./line-endings.ts";

export type Replacement =
  | { readonly type: "replaced"; readonly text: string; readonly count: number; /** Where the first one starts. */ readonly offset: number }
  | { readonly type: "not_found" }
  | { readonly type: "ambiguous"; readonly count: number }
  | { readonly type: "too_large" };

/**
 * Replaces a passage that stands once in a text, or everywhere with `all`.
 *
 * Line ends do not matter for finding it. What is put in follows the text: a line that was there keeps its end, a new
 * one gets the end that is the custom at that place. Nothing outside the passage changes.
 *
 * @param params.charsMax a longer result is refused before it is made
 */
export function replaceText(
  text: string,
  params: { readonly old: string; readonly replacement: string; readonly all: boolean; readonly charsMax: number },
): Replacement {
  const normalized = normalizeLineEnds(text);
  const passage = normalizeLineEnds(params.old).text;
  const offsets = occurrences(normalized.text, passage);
  const [first] = offsets;
  if (first === undefined) return { type: "not_found" };
  if (!params.all && normalized.text.indexOf(passage, first + 1) !== -1) {
    return { type: "ambiguous", count: Math.max(2, offsets.length) };
  }
  if (text.length + offsets.length * (params.replacement.length - passage.length) > params.charsMax) return { type: "too_large" };
  const pieces: string[] = [];
  let rest = 0;
  for (const offset of offsets) {
    const start = normalized.originalOffset(offset);
    const end = normalized.originalOffset(offset + passage.length);
    pieces.push(text.slice(rest, start), withLineEndsOf(text.slice(start, end), params.replacement, () => lineEndAt(text, start)));
    rest = end;
  }
  pieces.push(text.slice(rest));
  return { type: "replaced", text: pieces.join(""), count: offsets.length, offset: normalized.originalOffset(first) };
}

function occurrences(text: string, passage: string): readonly number[] {
  const offsets: number[] = [];
  if (passage === "") return offsets;
  for (let at = text.indexOf(passage); at !== -1; at = text.indexOf(passage, at + passage.length)) offsets.push(at);
  return offsets;
}

/** The replacement with the line ends of the lines it takes over, so that a file of mixed ends keeps its mixture. */
function withLineEndsOf(replaced: string, replacement: string, endOfPlace: () => LineEnd): string {
  const newLines = replacement.replaceAll("\r\n", "\n").split("\n");
  if (newLines.length === 1) return replacement;
  const oldLines = splitLines(replaced);
  const last = newLines.length - 1;
  let next = 0;
  let end: LineEnd = oldLines[0]?.end || endOfPlace();
  return newLines
    .map((line, index) => {
      if (index === last) return line;
      const kept = oldLines.findIndex((old, at) => at >= next && old.end !== "" && old.text === line);
      if (kept !== -1) next = kept + 1;
      const counterpart = kept !== -1 ? oldLines[kept] : oldLines[newLines.length === oldLines.length ? index : next];
      end = counterpart?.end || end;
      return line + end;
    })
    .join("");
}
