import { fstatSync, readSync } from "node:fs";

const READ_STEP_BYTES = 65_536;
const LINE_FEED = 0x0a;

/**
 * Where the last lines of a file begin, in bytes; 0 when it has no more. A line that is not finished counts as one. Reads
 * backwards from the end, so that a long file costs no more than those lines.
 */
export function offsetOfLastLines(fd: number, count: number): number {
  const { size } = fstatSync(fd);
  if (count === 0) return size;
  const step = new Uint8Array(READ_STEP_BYTES);
  let missing = count;
  // The line feed at the very end finishes the last line and begins none.
  for (let end = size - 1; end > 0; ) {
    const start = Math.max(0, end - READ_STEP_BYTES);
    const bytes = step.subarray(0, readSync(fd, step, 0, end - start, start));
    for (let feed = bytes.lastIndexOf(LINE_FEED); feed !== -1; feed = feed === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, feed - 1)) {
      if (--missing === 0) return start + feed + 1;
    }
    end = start;
  }
  return 0;
}

/** The first offset from `offset` on at which a line begins, or the size of the file where none does. */
export function nextLineStart(fd: number, offset: number): number {
  const step = new Uint8Array(READ_STEP_BYTES);
  // The line feed before `offset` makes it the beginning of a line.
  for (let position = offset - 1; position >= 0; ) {
    const bytes = step.subarray(0, readSync(fd, step, 0, step.length, position));
    const feed = bytes.indexOf(LINE_FEED);
    if (feed !== -1) return position + feed + 1;
    if (bytes.length === 0) return position;
    position += bytes.length;
  }
  return 0;
}
