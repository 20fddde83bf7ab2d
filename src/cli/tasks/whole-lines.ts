import type { OutputPiece } from "./follow-output.ts";

/** A line of a file, its line feed included. */
export interface OutputLine {
  readonly bytes: Uint8Array;
  /** Where the next line begins. */
  readonly nextOffset: number;
}

const LINE_FEED = 0x0a;

/** The lines in a stream of pieces. What stands behind the last line feed is no line yet. */
export async function* wholeLines(pieces: AsyncIterable<OutputPiece>): AsyncGenerator<OutputLine> {
  let unfinished: Uint8Array[] = [];
  for await (const { bytes, offset, isReset } of pieces) {
    if (isReset) unfinished = [];
    let start = 0;
    for (let feed = bytes.indexOf(LINE_FEED); feed !== -1; feed = bytes.indexOf(LINE_FEED, start)) {
      const end = feed + 1;
      yield { bytes: Buffer.concat([...unfinished, bytes.subarray(start, end)]), nextOffset: offset + end };
      unfinished = [];
      start = end;
    }
    if (start < bytes.length) unfinished.push(bytes.subarray(start));
  }
}
