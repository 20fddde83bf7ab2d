import { closeSync } from "node:fs";
import { systemErrorCode } from "../core/errors.ts";
import { tryLockFile } from "../platform/file-lock.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { reopenFile } from "../platform/reopen-file.ts";
import { ownerLockName } from "./owner-lock.ts";

/**
 * Whether the process that owns a run lives. Changes nothing: unlike a reaper it creates no lock file, and keeps no lock.
 *
 * @param owners the folder of the owners' locks
 */
export function isOwnerAlive(owners: PinnedDirectory, runId: string): boolean {
  let fd: number;
  try {
    fd = reopenFile(owners, ownerLockName(runId), "read");
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return false;
    throw error;
  }
  try {
    return !tryLockFile(fd);
  } finally {
    closeSync(fd);
  }
}
