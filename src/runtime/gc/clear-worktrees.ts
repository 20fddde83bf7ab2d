import { lstatSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError, errorMessage, systemErrorCode } from "../../core/errors.ts";
import { isTaskId } from "../../core/task.ts";
import { loadWorktreeEnd } from "../../engine/worktree/registry.ts";
import { WORKTREE_FOLDER } from "../../engine/worktree/worktree-folder.ts";
import { forgetWorktree, readWorktreeRecord } from "../../engine/worktree/worktree-record.ts";
import { wallClock } from "../../platform/wall-clock.ts";
import type { TaskStore } from "../open-task-store.ts";
import { mayBeLive, UNRECORDED_AGE_MS_MIN } from "./run-liveness.ts";
import { namesIn } from "./session-files.ts";

export interface ClearWorktreesOptions {
  readonly recordedIds: ReadonlySet<string>;
  readonly isDryRun: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onProblem: (text: string) => void;
}

/**
 * Removes worktrees whose task is not on record, because its run was killed before that or it was forgotten: only those in
 * which nothing has changed, and files that crashes left beside them. Of the others it says where they are.
 *
 * @returns what has gone, or would, as paths below the state folder
 */
export async function clearWorktrees(store: TaskStore, options: ClearWorktreesOptions): Promise<string[]> {
  const folder = join(store.paths.state, WORKTREE_FOLDER);
  const removed: string[] = [];
  for (const name of namesIn(folder)) {
    try {
      if (options.now - lstatSync(join(folder, name)).mtimeMs < UNRECORDED_AGE_MS_MIN) continue;
      if (await isCleared(name, folder, store, options)) removed.push(`${WORKTREE_FOLDER}/${name}`);
    } catch (error) {
      // It went with its record, or with another collection.
      if (systemErrorCode(error) === "ENOENT") continue;
      options.onProblem(`"${WORKTREE_FOLDER}/${name}" stays: it cannot be looked at (${errorMessage(error)})`);
    }
  }
  return removed;
}

async function isCleared(name: string, folder: string, store: TaskStore, options: ClearWorktreesOptions): Promise<boolean> {
  if (LEFT_FILE.test(name)) {
    if (!options.isDryRun) rmSync(join(folder, name), { force: true });
    return true;
  }
  const id = name.endsWith(".json") ? name.slice(0, -".json".length) : "";
  if (!isTaskId(id) || options.recordedIds.has(id)) return false;
  const record = readWorktreeRecord(store.paths.state, id);
  if (record === undefined || mayBeLive(record.worktree.runId, store, options.now)) return false;
  // Whether anything has changed in it is looked at only where it may go.
  if (options.isDryRun) return false;
  const { finishWorktree } = await loadWorktreeEnd();
  const outcome = await finishWorktree(record.worktree, { env: options.env, statePath: store.paths.state, now: wallClock });
  if (forgetWorktree(store.paths.state, id)) return true;
  throw new AppError("conflict", `worktree "${outcome.path}" on branch "${outcome.branch}": ${outcome.reason}`);
}

/** Copies of an index and records that were being written. */
const LEFT_FILE = /^\.[0-9a-f-]{36}\.(?:tmp|index|index\.lock)$/;
