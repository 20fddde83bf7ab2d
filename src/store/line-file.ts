import { closeSync, fdatasyncSync, fstatSync, ftruncateSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemErrorCode } from "../core/errors.ts";
import { openExclusiveFile } from "../platform/exclusive-file.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { readFully } from "../platform/read-fully.ts";
import { reopenFile } from "../platform/reopen-file.ts";
import { syncDirectory } from "../platform/sync-directory.ts";
import { writeFully, type WriteSync } from "../platform/write-fully.ts";
import { storageFailure } from "./storage-failure.ts";

/** A file of lines that only grows, by whole lines. One writer at a time. */
export interface LineFile {
  /** For people. */
  readonly path: string;
  /** The last whole line when the file was opened, without its line feed; undefined when there was none. */
  readonly lastLineAtOpen: string | undefined;
  /**
   * Appends one line, which must end with a line feed, in one write. Throws an `AppError` of reason `storage`; then the
   * part that was written is cut off again, at the latest before the next line.
   */
  append(line: string): void;
  /** Waits until all lines are on disk. Throws an `AppError` of reason `storage`; then nobody knows whether they are, ever. */
  sync(): void;
  close(): void;
}

const READ_STEP_BYTES = 65_536;
const LINE_FEED = 0x0a;

/**
 * Opens a file of lines for appending, creating it where nothing stands. What a crash left of an unfinished last line is
 * cut off: a line written behind it would be lost with it.
 *
 * Throws an `AppError` of reason `storage` when it cannot be opened or is no file of ours.
 *
 * @param options.write the system call, for tests
 */
export function openLineFile(directory: PinnedDirectory, name: string, options: { readonly write?: WriteSync } = {}): LineFile {
  const path = join(directory.path, name);
  const fd = openForAppending(directory, name, path);
  let size = 0;
  let isTorn = false;
  let isNameSynced = false;
  let syncFailure: AppError | undefined;
  let lastLineAtOpen: string | undefined;
  try {
    const end = fstatSync(fd).size;
    if (end > 0) ({ size, lastLine: lastLineAtOpen } = readLastLine(directory, name, end));
    isTorn = size < end;
    cutTornLine();
  } catch (error) {
    closeSync(fd);
    throw storageFailure(`Cannot open "${path}"`, error);
  }

  function cutTornLine(): void {
    if (isTorn) ftruncateSync(fd, size);
    isTorn = false;
  }

  return {
    path,
    lastLineAtOpen,
    append(line) {
      const bytes = Buffer.from(line);
      try {
        refuseRemoved(fd);
        cutTornLine();
        isTorn = true;
        writeFully(fd, bytes, options.write);
        isTorn = false;
        size += bytes.length;
      } catch (error) {
        throw storageFailure(`Cannot append to "${path}"`, error);
      }
    },
    sync() {
      if (syncFailure !== undefined) throw syncFailure;
      try {
        fdatasyncSync(fd);
        if (!isNameSynced) syncDirectory(directory.fd);
        isNameSynced = true;
      } catch (error) {
        // A later sync that succeeds says nothing about the lines before it, so there is none, and nobody is to wait for one.
        syncFailure = new AppError("storage", storageFailure(`Cannot sync "${path}"`, error).message, { code: "not_synced", cause: error });
        throw syncFailure;
      }
    },
    close: () => closeSync(fd),
  };
}

function openForAppending(directory: PinnedDirectory, name: string, path: string): number {
  try {
    return openExclusiveFile(directory, name);
  } catch (error) {
    if (systemErrorCode(error) !== "EEXIST") throw storageFailure(`Cannot create "${path}"`, error);
  }
  try {
    return reopenFile(directory, name, "append");
  } catch (error) {
    throw storageFailure(`Cannot open "${path}"`, error);
  }
}

/** Reads backwards from the end, so that a long file costs no more than its last line. */
function readLastLine(directory: PinnedDirectory, name: string, end: number): { readonly size: number; readonly lastLine: string | undefined } {
  const fd = reopenFile(directory, name, "read");
  try {
    let tail: Buffer = Buffer.alloc(0);
    for (let start = end; start > 0; ) {
      const length = Math.min(READ_STEP_BYTES, start);
      start -= length;
      tail = Buffer.concat([readAt(fd, start, length), tail]);
      const lastFeed = tail.lastIndexOf(LINE_FEED);
      if (lastFeed === -1) continue;
      const feedBefore = lastFeed === 0 ? -1 : tail.lastIndexOf(LINE_FEED, lastFeed - 1);
      if (feedBefore === -1 && start > 0) continue;
      return { size: start + lastFeed + 1, lastLine: tail.toString("utf8", feedBefore + 1, lastFeed) };
    }
    return { size: 0, lastLine: undefined };
  } finally {
    closeSync(fd);
  }
}

/** Lines in a file that has no name any more are as good as not written. */
function refuseRemoved(fd: number): void {
  if (fstatSync(fd).nlink === 0) throw Object.assign(new Error("it was removed while it was written"), { code: "removed" });
}

function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readFully(fd, bytes, position));
}
