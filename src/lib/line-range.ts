/**
 * Some lines of a text without their ends, and how many lines there are in all. Lines are counted as compilers and
 * search tools count them: a lone carriage return ends a line only where the text knows no other line end.
 *
 * @param range.first the first line wanted, from 1
 */
export function lineRange(
  text: string,
  range: { readonly first: number; readonly count: number },
): { readonly lines: readonly string[]; readonly total: number } {
  const separator = separatorOf(text);
  const lines: string[] = [];
  let total = 0;
  for (let start = 0; start < text.length; ) {
    const at = text.indexOf(separator, start);
    const end = at === -1 ? text.length : at;
    total++;
    if (total >= range.first && lines.length < range.count) lines.push(withoutReturn(text.slice(start, end)));
    start = end + 1;
  }
  return { lines, total };
}

/** The number of the line, from 1, in which an offset stands; counted as `lineRange` does. */
export function lineNumberAt(text: string, offset: number): number {
  const separator = separatorOf(text);
  let line = 1;
  for (let at = text.indexOf(separator); at !== -1 && at < offset; at = text.indexOf(separator, at + 1)) line++;
  return line;
}

/** A line as the model sees lines of a file: right-aligned number, tab, text. */
export function numberedLine(number: number, line: string): string {
  return `${String(number).padStart(6)}\t${line}`;
}

function separatorOf(text: string): string {
  return text.includes("\n") ? "\n" : "\r";
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
