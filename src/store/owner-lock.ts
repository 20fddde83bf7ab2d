import { closeSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemErrorCode } from "../core/errors.ts";
import { openExclusiveFile } from "../platform/exclusive-file.ts";
import { tryLockFile } from "../platform/file-lock.ts";
import { reopenFile } from "../platform/reopen-file.ts";
import type { StateDirectory } from "../platform/state-directory.ts";

/** Held by the process that owns a run, for as long as it lives. Whoever gets it instead knows that the owner is dead. */
export interface OwnerLock {
  readonly path: string;
  release(): void;
}

/** Takes the lock of a new run. Throws an `AppError` of reason `storage` when its file cannot be made. */
export function takeNewOwnerLock(state: StateDirectory, runId: string): OwnerLock {
  const name = ownerLockName(runId);
  let fd: number;
  try {
    fd = openExclusiveFile(state.owners, name);
  } catch (error) {
    throw new AppError("storage", `Cannot create the lock "${join(state.owners.path, name)}": ${systemErrorCode(error) ?? String(error)}`, { cause: error });
  }
  const lock = lockFile(state, name, fd);
  if (lock === undefined) throw new AppError("conflict", `Cannot take the lock "${join(state.owners.path, name)}": somebody holds it`);
  return lock;
}

/**
 * Takes the lock of a run whose owner is gone; undefined while it lives. A missing lock file is made again: its owner
 * cannot be alive without it.
 */
export function takeDeadOwnerLock(state: StateDirectory, runId: string): OwnerLock | undefined {
  const name = ownerLockName(runId);
  return lockFile(state, name, reopenOrCreate(state, name));
}

/** The name of a run's lock in the folder of owners. */
export function ownerLockName(runId: string): string {
  return `${runId}.lock`;
}

function reopenOrCreate(state: StateDirectory, name: string): number {
  try {
    return reopenFile(state.owners, name, "append");
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw error;
  }
  try {
    return openExclusiveFile(state.owners, name);
  } catch (error) {
    // Somebody else has just made it again.
    if (systemErrorCode(error) !== "EEXIST") throw error;
    return reopenFile(state.owners, name, "append");
  }
}

function lockFile(state: StateDirectory, name: string, fd: number): OwnerLock | undefined {
  let isLocked = false;
  try {
    isLocked = tryLockFile(fd);
    return isLocked ? { path: join(state.owners.path, name), release: () => closeSync(fd) } : undefined;
  } finally {
    if (!isLocked) closeSync(fd);
  }
}
