import { readSync } from "node:fs";

/**
 * Fills `bytes` from a place of a file, however little the system gives at a time. Throws the system's error.
 *
 * @returns how many bytes were there; fewer than asked for where the file ends
 */
export function readFully(fd: number, bytes: Uint8Array, position = 0): number {
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(fd, bytes, length, bytes.length - length, position + length);
    if (count === 0) break;
    length += count;
  }
  return length;
}
