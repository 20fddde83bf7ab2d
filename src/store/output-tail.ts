import type { OutputStretch } from "../core/task-output.ts";
import { characterStart } from "../lib/character-start.ts";

/** The end of an output, and how many bytes were printed before it. */
export interface OutputTail {
  readonly bytes: Uint8Array;
  readonly omittedBytes: number;
}

/**
 * At most the last `bytesMax` bytes of an output; no character of UTF-8 is cut.
 *
 * @param stretch its last one
 */
export function readOutputTail(stretch: OutputStretch, bytesMax: number): OutputTail {
  const start = Math.max(stretch.start, stretch.end - bytesMax);
  const room = new Uint8Array(stretch.end - start);
  const bytes = room.subarray(0, stretch.readAt(room, start));
  const cut = start === stretch.start ? 0 : characterStart(bytes, 0);
  return { bytes: bytes.subarray(cut), omittedBytes: start + cut };
}
