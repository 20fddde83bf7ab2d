import { closeSync, constants, fchmodSync, fstatSync, fsyncSync, ftruncateSync, statSync, writeSync } from "node:fs";
import { AppError, errorMessage } from "../core/errors.ts";
import { fileError } from "./file-error.ts";
import { openRealPath } from "./open-real-path.ts";
import { readFully } from "./read-fully.ts";
import { writeFully, type WriteSync } from "./write-fully.ts";

/** The system call behind a write at a position of a file. */
export type WriteAt = (fd: number, bytes: Uint8Array, offset: number, length: number, position: number) => number;

/**
 * Replaces the content of an existing file, provided that it still holds the bytes it is expected to hold.
 *
 * The file is written in place and not replaced by another one: that alone keeps hard links, owner, group, mode, access
 * lists and every other attribute whatever the file system knows, and it works in a directory that cannot be written.
 * What is beyond the old size is written first, so that a full disk is met before a byte of the old content is touched;
 * any later failure puts the old bytes back. What is given up is atomicity towards readers and a loss of power in the
 * middle of a write.
 *
 * @param params.path as `resolveRealPath` gives it
 */
export function replaceFileContent(params: {
  readonly path: string;
  readonly expected: Uint8Array;
  readonly next: Uint8Array;
  readonly write?: WriteAt;
}): void {
  assertWritable(params.path);
  const fd = openRealPath(params.path, constants.O_RDWR, { action: "Cannot write" });
  try {
    const { mode } = fstatSync(fd);
    assertHolds(fd, params.expected, params.path);
    overwrite(fd, params);
    // Writing takes the set-id bits away.
    if (fstatSync(fd).mode !== mode) fchmodSync(fd, mode & 0o7777);
    fsyncSync(fd);
  } catch (error) {
    throw fileError("Cannot write", params.path, error);
  } finally {
    closeSync(fd);
  }
}

/** The superuser may write everything; a file marked as read-only is meant to stay as it is all the same. */
function assertWritable(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw fileError("Cannot write", path, { code: "ENOENT" });
  if (!stat.isFile()) throw new AppError("failed", `Cannot write "${path}": it is not a regular file`);
  if ((stat.mode & 0o222) === 0) {
    throw new AppError("failed", `Cannot write "${path}": the file is read-only (mode ${(stat.mode & 0o7777).toString(8)})`);
  }
}

function assertHolds(fd: number, expected: Uint8Array, path: string): void {
  // One byte more, to notice a file that has grown.
  const held = Buffer.alloc(expected.length + 1);
  const length = readFully(fd, held);
  if (!held.subarray(0, length).equals(expected)) throw new AppError("conflict", `Cannot write "${path}": it changed since it was read`);
}

function overwrite(
  fd: number,
  { expected, next, write = writeSync }: { readonly expected: Uint8Array; readonly next: Uint8Array; readonly write?: WriteAt },
): void {
  try {
    writeFully(fd, next.subarray(expected.length), from(expected.length, write));
    writeFully(fd, next.subarray(0, expected.length), from(0, write));
    if (next.length < expected.length) ftruncateSync(fd, next.length);
  } catch (error) {
    restore(fd, expected, error);
    throw error;
  }
}

function restore(fd: number, bytes: Uint8Array, cause: unknown): void {
  try {
    ftruncateSync(fd, bytes.length);
    writeFully(fd, bytes, from(0, writeSync));
  } catch (error) {
    const message = `The file is damaged: writing failed (${errorMessage(cause)}), and so did putting the old content back (${errorMessage(error)})`;
    throw new AppError("storage", message, { cause: error });
  }
}

function from(start: number, write: WriteAt): WriteSync {
  return (fd, bytes, offset, length) => write(fd, bytes, offset, length, start + offset);
}
