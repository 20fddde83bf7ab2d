import { closeSync, symlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { TaskOutputs, TaskOutputWriter } from "../core/task-host.ts";
import type { TaskId } from "../core/task.ts";
import { wholeCharactersLength } from "../lib/whole-characters.ts";
import { openExclusiveFile } from "../platform/exclusive-file.ts";
import type { StateDirectory } from "../platform/state-directory.ts";
import { writeFully, type WriteSync } from "../platform/write-fully.ts";
import { storageFailure } from "./storage-failure.ts";

/** The name of a task's file in the folder of outputs. */
export function outputName(id: TaskId): string {
  return `${id}.output`;
}

/**
 * The output files of a state folder, for their one writer.
 *
 * @param options.bytesMax the most bytes of one task that are kept; a note of about sixty bytes comes on top where more
 *   were written
 * @param options.write the system call, for tests
 */
export function openTaskOutputs(
  directory: StateDirectory,
  options: { readonly bytesMax: number; readonly write?: WriteSync },
): TaskOutputs {
  const { bytesMax, write = writeSync } = options;
  const { tasks } = directory;
  return {
    path: (id) => join(tasks.path, outputName(id)),
    create: (id) => createWriter({ id, fd: openExclusiveFile(tasks, outputName(id)), bytesMax, write }),
    link: (id, target) => symlinkSync(target, tasks.entry(outputName(id))),
  };
}

function createWriter(params: {
  readonly id: TaskId;
  readonly fd: number;
  readonly bytesMax: number;
  readonly write: WriteSync;
}): TaskOutputWriter {
  const { id, fd, bytesMax } = params;
  let bytesWritten = 0;
  let bytesDropped = 0;
  let isFull = false;
  let isClosed = false;
  let failure: Error | undefined;

  function append(bytes: Uint8Array): number {
    const before = bytesWritten;
    try {
      writeFully(fd, bytes, (...call) => {
        const count = params.write(...call);
        bytesWritten += count;
        return count;
      });
    } catch (error) {
      failure = storageFailure(`Cannot write the output of task "${id}"`, error);
    }
    return bytesWritten - before;
  }

  return {
    write(bytes) {
      if (isFull || isClosed || failure !== undefined) {
        bytesDropped += bytes.length;
        return;
      }
      const room = bytesMax - bytesWritten;
      const kept = bytes.length <= room ? bytes : bytes.subarray(0, wholeCharactersLength(bytes, room));
      isFull = kept.length < bytes.length;
      bytesDropped += bytes.length - append(kept);
      if (isFull && failure === undefined) append(Buffer.from(`\n[output cut here: more than ${bytesMax} bytes]\n`));
    },
    get bytesWritten() {
      return bytesWritten;
    },
    get bytesDropped() {
      return bytesDropped;
    },
    get failure() {
      return failure;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      closeSync(fd);
    },
  };
}
