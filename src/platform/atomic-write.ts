import { randomBytes } from "node:crypto";
import { closeSync, constants, fsyncSync, renameSync, unlinkSync } from "node:fs";
import { openExclusiveFile } from "./exclusive-file.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";
import { writeFully, type WriteSync } from "./write-fully.ts";

/**
 * Replaces the content of a small file, or creates it, so that a reader and a crash see the old content or the new one
 * and nothing else. Mode 0600. On disk when this returns.
 *
 * Throws the system's error; then the old content stands.
 *
 * @param options.write the system call, for tests
 */
export function writeAtomically(
  directory: PinnedDirectory,
  name: string,
  content: string | Uint8Array,
  options: { readonly write?: WriteSync } = {},
): void {
  const temporary = `.${name}.${randomBytes(8).toString("hex")}.tmp`;
  const fd = openExclusiveFile(directory, temporary);
  try {
    try {
      writeFully(fd, typeof content === "string" ? Buffer.from(content) : content, options.write);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(directory.entry(temporary), directory.entry(name));
  } catch (error) {
    unlinkSync(directory.entry(temporary));
    throw error;
  }
  // The new name is durable only once its directory is. Windows cannot sync one.
  if (constants.O_DIRECTORY !== undefined) fsyncSync(directory.fd);
}
