import { writeSync } from "node:fs";
import { systemErrorCode } from "../core/errors.ts";

export type WriteSync = (fd: number, bytes: Uint8Array, offset: number, length: number) => number;

const STALLED_WRITES_MAX = 200;
const STALL_MS = 5;

/**
 * Writes all bytes, however little the system takes at a time. A descriptor that takes nothing is given one second.
 *
 * Throws the system's error; then a part of the bytes may have been written.
 *
 * @param write the system call, for tests and for callers who count
 */
export function writeFully(fd: number, bytes: Uint8Array, write: WriteSync = writeSync): void {
  let offset = 0;
  let stalledWrites = 0;
  while (offset < bytes.length) {
    const { written, error } = attempt(() => write(fd, bytes, offset, bytes.length - offset));
    offset += written;
    if (written > 0) {
      stalledWrites = 0;
      continue;
    }
    if (++stalledWrites > STALLED_WRITES_MAX) throw error ?? new Error(`Cannot write to descriptor ${fd}: it takes no bytes`);
    Bun.sleepSync(STALL_MS);
  }
}

/** Interrupted and full count as nothing written; every other failure is final. */
function attempt(write: () => number): { readonly written: number; readonly error?: unknown } {
  try {
    return { written: write() };
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "EINTR" || code === "EAGAIN") return { written: 0, error };
    throw error;
  }
}
