import { fstatSync, readSync } from "node:fs";
import { characterStart } from "../lib/character-start.ts";

/** The end of a file, and how many bytes stand before it. */
export interface OutputTail {
  readonly bytes: Uint8Array;
  readonly omittedBytes: number;
}

/** At most the last `bytesMax` bytes of a file; no character of UTF-8 is cut. */
export function readOutputTail(fd: number, bytesMax: number): OutputTail {
  const { size } = fstatSync(fd);
  const start = Math.max(0, size - bytesMax);
  const bytes = readFrom(fd, start, size - start);
  const cut = start === 0 ? 0 : characterStart(bytes, 0);
  return { bytes: bytes.subarray(cut), omittedBytes: start + cut };
}

function readFrom(fd: number, start: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let read = 0;
  while (read < length) {
    const count = readSync(fd, bytes, read, length - read, start + read);
    if (count === 0) break;
    read += count;
  }
  return bytes.subarray(0, read);
}
