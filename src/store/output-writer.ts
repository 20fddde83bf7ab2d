import type { AppError } from "../core/errors.ts";
import type { TaskOutputWriter } from "../core/task-output.ts";
import type { TaskId } from "../core/task.ts";
import { wholeCharactersLength } from "../lib/whole-characters.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { writeFully, type WriteSync } from "../platform/write-fully.ts";
import { createKeptFile } from "./kept-file.ts";
import type { OutputBudget } from "./output-budget.ts";
import type { OutputLimits } from "./output-limits.ts";
import { outputMark } from "./output-mark.ts";
import { storageFailure } from "./storage-failure.ts";
import { createTailSegments } from "./tail-segments.ts";

export interface OutputWriterParams {
  readonly id: TaskId;
  readonly directory: PinnedDirectory;
  /** The file of the beginning, open for appending and empty; closed with the writer. */
  readonly headFd: number;
  readonly limits: OutputLimits;
  readonly budget: OutputBudget;
  readonly write: WriteSync;
  /** Called with the first failure. */
  readonly onFailure: (failure: AppError) => void;
}

/** Keeps the beginning and the end of one task's output. */
export function createOutputWriter(params: OutputWriterParams): TaskOutputWriter {
  const { id, headFd, limits, budget } = params;
  const head = createKeptFile(headFd, params.write);
  const tail = createTailSegments({ ...params, onBegin: markHead });
  let bytesPrinted = 0;
  let isHeadFull = false;
  let isMarked = false;
  let isOver = false;
  let failure: AppError | undefined;

  function markHead(): void {
    isMarked = true;
    writeFully(headFd, Buffer.from(outputMark(id, head.size)), params.write);
    head.close();
  }

  /** Returns how many of the bytes the head took: not all where it is full, or the budget is spent. */
  function appendToHead(bytes: Uint8Array): number {
    if (isHeadFull) return 0;
    const fitting = fittingLength(bytes, limits.headBytesMax - head.size);
    const granted = fittingLength(bytes.subarray(0, fitting), budget.left);
    const before = head.size;
    try {
      head.append(bytes.subarray(0, granted));
    } finally {
      budget.take(head.size - before);
    }
    isHeadFull = granted === fitting && fitting < bytes.length;
    return granted;
  }

  function append(bytes: Uint8Array, offset: number): void {
    const inHead = appendToHead(bytes);
    if (inHead === bytes.length) return;
    if (isHeadFull && tail.append(bytes.subarray(inHead), offset + inHead)) return;
    isOver = true;
    if (!isMarked) markHead();
    budget.reportLoss(id, bytesPrinted - head.size - tail.keptBytes);
  }

  return {
    write(bytes) {
      const offset = bytesPrinted;
      bytesPrinted += bytes.length;
      if (isOver) return;
      try {
        append(bytes, offset);
      } catch (error) {
        isOver = true;
        failure = storageFailure(`Cannot write the output of task "${id}"`, error);
        params.onFailure(failure);
      }
    },
    get bytesWritten() {
      return head.size + tail.keptBytes;
    },
    get bytesDropped() {
      return bytesPrinted - head.size - tail.keptBytes;
    },
    get failure() {
      return failure;
    },
    close() {
      isOver = true;
      head.close();
      tail.close();
    },
  };
}

function fittingLength(bytes: Uint8Array, room: number): number {
  return bytes.length <= room ? bytes.length : wholeCharactersLength(bytes, Math.max(0, room));
}
