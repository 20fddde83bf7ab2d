import { unlinkSync } from "node:fs";
import { systemErrorCode } from "../core/errors.ts";
import type { TaskId } from "../core/task.ts";
import { characterStart } from "../lib/character-start.ts";
import { wholeCharactersLength } from "../lib/whole-characters.ts";
import { openExclusiveFile } from "../platform/exclusive-file.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import type { WriteSync } from "../platform/write-fully.ts";
import { createKeptFile, type KeptFile } from "./kept-file.ts";
import type { OutputBudget } from "./output-budget.ts";
import type { OutputLimits } from "./output-limits.ts";
import { segmentName } from "./output-names.ts";

/** The end of an output in files that are named by the offset of their first byte. The oldest makes room for the next. */
export interface TailSegments {
  readonly keptBytes: number;
  /**
   * Takes the bytes that follow those taken before. Throws the system's error; then a part of them may be there.
   *
   * @param offset of the first of them in the output
   * @returns false where the budget left no room for some of them; what comes later must not be offered
   */
  append(bytes: Uint8Array, offset: number): boolean;
  close(): void;
}

const CHARACTER_BYTES_MAX = 4;

export interface TailSegmentsParams {
  readonly id: TaskId;
  readonly directory: PinnedDirectory;
  readonly limits: OutputLimits;
  readonly budget: OutputBudget;
  readonly write: WriteSync;
  /** Called when the first segment is there, and nothing is in it yet. */
  readonly onBegin: () => void;
}

export function createTailSegments({ id, directory, limits, budget, write, onBegin }: TailSegmentsParams): TailSegments {
  const { segmentBytesMax, tailBytesMax } = limits;
  const segments: { readonly offset: number; readonly file: KeptFile }[] = [];
  let keptBytes = 0;
  let hasBegun = false;
  let current: KeptFile | undefined;

  /** How many of the bytes go into the current segment; a new one becomes current where it is full. */
  function pieceLength(bytes: Uint8Array): number {
    const room = segmentBytesMax - (current?.size ?? 0);
    if (bytes.length <= room) return bytes.length;
    const whole = wholeCharactersLength(bytes, room);
    if (whole > 0) return whole;
    if (current === undefined) return Math.min(bytes.length, CHARACTER_BYTES_MAX);
    closeCurrent();
    return pieceLength(bytes);
  }

  function closeCurrent(): void {
    current?.close();
    current = undefined;
  }

  function makeRoom(bytes: number): boolean {
    if (bytes > budget.left + keptBytes) return false;
    while (keptBytes + bytes > tailBytesMax || bytes > budget.left) removeOldest();
    return true;
  }

  function removeOldest(): void {
    const oldest = segments.shift();
    if (oldest === undefined) return;
    if (oldest.file === current) closeCurrent();
    removeFile(directory, segmentName(id, oldest.offset));
    keptBytes -= oldest.file.size;
    budget.giveBack(oldest.file.size);
  }

  function openSegment(offset: number): KeptFile {
    const file = createKeptFile(openExclusiveFile(directory, segmentName(id, offset)), write);
    segments.push({ offset, file });
    current = file;
    if (!hasBegun) onBegin();
    hasBegun = true;
    return file;
  }

  function appendTo(file: KeptFile, bytes: Uint8Array): void {
    const before = file.size;
    try {
      file.append(bytes);
    } finally {
      keptBytes += file.size - before;
      budget.take(file.size - before);
    }
  }

  return {
    get keptBytes() {
      return keptBytes;
    },
    append(bytes, offset) {
      // What would be removed again at once is not written.
      let done = bytes.length > tailBytesMax ? characterStart(bytes, bytes.length - tailBytesMax) : 0;
      if (done > 0) while (segments.length > 0) removeOldest();
      while (done < bytes.length) {
        const length = pieceLength(bytes.subarray(done));
        if (!makeRoom(length)) return false;
        appendTo(current ?? openSegment(offset + done), bytes.subarray(done, done + length));
        done += length;
      }
      return true;
    },
    close: closeCurrent,
  };
}

function removeFile(directory: PinnedDirectory, name: string): void {
  try {
    unlinkSync(directory.entry(name));
  } catch (error) {
    // Somebody who needed room may have been faster.
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
}
