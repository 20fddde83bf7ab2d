import { lstatSync } from "node:fs";
import { isOwnerAlive } from "../../store/is-owner-alive.ts";
import { ownerLockName } from "../../store/owner-lock.ts";
import type { TaskStore } from "../open-task-store.ts";

/** What no record names, and is younger than this, may belong to a run that is just starting. */
export const UNRECORDED_AGE_MS_MIN = 3_600_000;

/**
 * Whether a run may still be at work. One that is not on record yet counts as such while its lock is held, or so young
 * that looking whether it is held might get in the way of the run that is about to take it.
 *
 * Throws the system's error, or an `AppError`.
 */
export function mayBeLive(runId: string, { directory, ledger }: TaskStore, now: number): boolean {
  const run = ledger.getRun(runId);
  if (run !== undefined) return run.endedAt === undefined;
  const lock = lstatSync(directory.owners.entry(ownerLockName(runId)), { throwIfNoEntry: false });
  if (lock === undefined) return false;
  return now - lock.mtimeMs < UNRECORDED_AGE_MS_MIN || isOwnerAlive(directory.owners, runId);
}
