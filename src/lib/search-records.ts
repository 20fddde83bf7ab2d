/** One line of search output that belongs to a file, or the mark between two groups of lines. */
export type SearchRecord = { readonly type: "line"; readonly path: string; readonly text: string } | { readonly type: "gap" };

/**
 * Takes the output of a search apart in which a NUL ends every file name. That alone keeps names with line breaks and
 * colons from being mistaken for something else. Remarks of the search program itself, which have no NUL, are left out.
 *
 * A last line without its end was cut off and is left out too.
 */
export function parseSearchOutput(output: string): readonly SearchRecord[] {
  const records: SearchRecord[] = [];
  let start = 0;
  while (start < output.length) {
    const lineEnd = output.indexOf("\n", start);
    if (lineEnd === -1) break;
    const nul = output.indexOf("\0", start);
    if (output.startsWith("--\n", start)) {
      records.push({ type: "gap" });
      start = lineEnd + 1;
    } else if (REMARK.test(output.slice(start, lineEnd)) || nul === -1) {
      start = lineEnd + 1;
    } else {
      const end = output.indexOf("\n", nul);
      if (end === -1) break;
      records.push({ type: "line", path: output.slice(start, nul), text: output.slice(nul + 1, end) });
      start = end + 1;
    }
  }
  return records;
}

const REMARK = /^[^\0]*: (?:WARNING: stopped searching binary file|binary file matches)/;
