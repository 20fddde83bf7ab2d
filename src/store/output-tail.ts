import { fstatSync } from "node:fs";
import { characterStart } from "../lib/character-start.ts";
import { readFully } from "../platform/read-fully.ts";

/** The end of a file, and how many bytes stand before it. */
export interface OutputTail {
  readonly bytes: Uint8Array;
  readonly omittedBytes: number;
}

/** At most the last `bytesMax` bytes of a file; no character of UTF-8 is cut. */
export function readOutputTail(fd: number, bytesMax: number): OutputTail {
  const { size } = fstatSync(fd);
  const start = Math.max(0, size - bytesMax);
  const room = new Uint8Array(size - start);
  const bytes = room.subarray(0, readFully(fd, room, start));
  const cut = start === 0 ? 0 : characterStart(bytes, 0);
  return { bytes: bytes.subarray(cut), omittedBytes: start + cut };
}
