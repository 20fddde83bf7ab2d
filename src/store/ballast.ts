import { randomBytes } from "node:crypto";
import { closeSync, lstatSync, statfsSync, unlinkSync } from "node:fs";
import { openExclusiveFile } from "../platform/exclusive-file.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { writeFully } from "../platform/write-fully.ts";

export const BALLAST_NAME = "ballast";
export const BALLAST_BYTES = 1_048_576;
/** On a disk that is nearly full the ballast would be what fills it. */
const FREE_BYTES_MIN = 16 * BALLAST_BYTES;

/** Gives back the room that was kept for recording why things fail on a full disk. Never throws. */
export function releaseBallast(root: PinnedDirectory): void {
  try {
    unlinkSync(root.entry(BALLAST_NAME));
  } catch {
    // It is gone already, or nothing can be done about it.
  }
}

/**
 * Puts the ballast into the state folder where it is missing and the disk has room. Never throws: a run does without.
 *
 * @param root the state folder
 */
export function ensureBallast(root: PinnedDirectory): void {
  try {
    if (lstatSync(root.entry(BALLAST_NAME), { throwIfNoEntry: false })?.size === BALLAST_BYTES) return;
    releaseBallast(root);
    const { bavail, bsize } = statfsSync(root.entries);
    if (bavail * bsize >= FREE_BYTES_MIN) writeBallast(root);
  } catch {
    releaseBallast(root);
  }
}

/** Random bytes: file systems that compress would keep no room for others. */
function writeBallast(root: PinnedDirectory): void {
  const fd = openExclusiveFile(root, BALLAST_NAME);
  try {
    writeFully(fd, randomBytes(BALLAST_BYTES));
  } finally {
    closeSync(fd);
  }
}
