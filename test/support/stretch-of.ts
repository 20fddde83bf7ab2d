import { fstatSync, readSync } from "node:fs";
import type { OutputStretch } from "../../src/core/task-output.ts";

/** A whole file as the only stretch of an output. */
export function stretchOf(fd: number): OutputStretch {
  return { start: 0, end: fstatSync(fd).size, readAt: (bytes, offset) => readSync(fd, bytes, 0, bytes.length, offset) };
}
