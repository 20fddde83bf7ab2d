import type { OutputStretch } from "../core/task-output.ts";

const READ_STEP_BYTES = 65_536;
const LINE_FEED = 0x0a;

/**
 * Where the last lines of a stretch begin; its start when it has no more. A line that is not finished counts as one.
 * Reads backwards from the end, so that a long stretch costs no more than those lines.
 */
export function offsetOfLastLines(stretch: OutputStretch, count: number): number {
  if (count === 0) return stretch.end;
  const step = new Uint8Array(READ_STEP_BYTES);
  let missing = count;
  // The line feed at the very end finishes the last line and begins none.
  for (let end = stretch.end - 1; end > stretch.start; ) {
    const start = Math.max(stretch.start, end - READ_STEP_BYTES);
    const bytes = step.subarray(0, stretch.readAt(step.subarray(0, end - start), start));
    for (let feed = bytes.lastIndexOf(LINE_FEED); feed !== -1; feed = feed === 0 ? -1 : bytes.lastIndexOf(LINE_FEED, feed - 1)) {
      if (--missing === 0) return start + feed + 1;
    }
    end = start;
  }
  return stretch.start;
}

/** The first offset from `offset` on at which a line begins, or the end of the stretch where none does. */
export function nextLineStart(stretch: OutputStretch, offset: number): number {
  const step = new Uint8Array(READ_STEP_BYTES);
  // The line feed before `offset` makes it the beginning of a line.
  for (let position = offset - 1; position >= stretch.start; ) {
    const bytes = step.subarray(0, stretch.readAt(step, position));
    const feed = bytes.indexOf(LINE_FEED);
    if (feed !== -1) return position + feed + 1;
    if (bytes.length === 0) return position;
    position += bytes.length;
  }
  return stretch.start;
}
