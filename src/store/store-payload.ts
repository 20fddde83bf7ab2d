import { closeSync } from "node:fs";
import { join } from "node:path";
import { openExclusiveFile } from "../platform/exclusive-file.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { writeFully } from "../platform/write-fully.ts";
import { storageFailure } from "./storage-failure.ts";

/**
 * Keeps text that is too large for where it belongs in a file of its own. Throws an `AppError` of reason `storage`.
 *
 * @returns the path of the file
 */
export function storePayload(directory: PinnedDirectory, name: string, text: string): string {
  try {
    const fd = openExclusiveFile(directory, name);
    try {
      writeFully(fd, Buffer.from(text));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw storageFailure(`Cannot write "${join(directory.path, name)}"`, error);
  }
  return join(directory.path, name);
}
