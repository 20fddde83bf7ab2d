import { constants, openSync } from "node:fs";
import { openExclusiveFileWindows } from "./exclusive-file-windows.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";

export const FILE_MODE = 0o600;

/**
 * Creates a file that did not exist and opens it for appending, mode 0600. Whatever stands there already, a dangling link
 * and a pipe included, is left alone.
 *
 * Throws the system's error: EEXIST when anything stands there, ENOSPC …
 *
 * @returns the descriptor
 */
export function openExclusiveFile(directory: PinnedDirectory, name: string): number {
  const path = directory.entry(name);
  if (constants.O_NOFOLLOW === undefined) return openExclusiveFileWindows(path);
  return openSync(
    path,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | constants.O_APPEND,
    FILE_MODE,
  );
}
