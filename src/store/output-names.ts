import { readdirSync } from "node:fs";
import type { TaskId } from "../core/task.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";

/** The name of a task's file in the folder of outputs. Where the task printed a lot, it holds the beginning only. */
export function outputName(id: TaskId): string {
  return `${id}.output`;
}

/** The name of a file that holds a part of the rest: of the part whose first byte is the one at `offset` of the output. */
export function segmentName(id: TaskId, offset: number): string {
  return `${outputName(id)}.${offset}`;
}

/** The offsets of the parts that are there now, ascending. Throws the system's error. */
export function segmentOffsets(tasks: PinnedDirectory, id: TaskId): number[] {
  const prefix = `${outputName(id)}.`;
  return readdirSync(tasks.entries)
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length))
    .filter((text) => /^\d{1,15}$/.test(text))
    .map(Number)
    .toSorted((a, b) => a - b);
}
