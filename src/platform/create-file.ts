import { closeSync, constants, fsyncSync, openSync, unlinkSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fileError } from "./file-error.ts";
import { openOrMakeDirectory } from "./open-directory.ts";
import { writeFully, type WriteSync } from "./write-fully.ts";

/**
 * Creates a file, and the directories above it, with the modes that the user's umask gives. Fails when anything stands
 * there already. After a failure no half of it is left.
 *
 * @param params.path as `resolveRealPath` gives it
 */
export function createFile(params: { readonly path: string; readonly bytes: Uint8Array; readonly write?: WriteSync }): void {
  const directory = openOrMakeDirectory(dirname(params.path));
  try {
    const entry = directory.entry(basename(params.path));
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
    const fd = openSync(entry, flags, 0o666);
    try {
      writeFully(fd, params.bytes, params.write);
      fsyncSync(fd);
    } catch (error) {
      unlinkSync(entry);
      throw error;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw fileError("Cannot create", params.path, error);
  } finally {
    directory.close();
  }
}
