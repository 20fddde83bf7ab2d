import { rmSync } from "node:fs";
import type { TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { forgetWorktree } from "../engine/worktree/worktree-record.ts";
import { isDiskFull } from "../store/disk-full.ts";
import type { Ledger } from "../store/ledger.ts";
import { ownerLockName } from "../store/owner-lock.ts";
import { storageFailure } from "../store/storage-failure.ts";
import { outputName, segmentName, segmentOffsets } from "../store/output-names.ts";
import type { TaskStore } from "./open-task-store.ts";

/**
 * Removes a terminal task: its record, its output, and the locks of its runs and the files of its session once no other
 * task needs them. Links are removed, never followed; what is missing already is fine.
 *
 * Rejects with an `AppError`: `conflict` while the task is alive, `storage` when something cannot be removed.
 *
 * @param outputFiles the names of the files of its output, for whoever knows them already
 * @returns false when it was not on record any more
 */
export async function removeTask(
  task: Pick<TaskState, "id" | "attempt" | "sessionId">,
  { directory, ledger }: TaskStore,
  outputFiles: readonly string[] = outputFilesOf(directory.tasks, task.id),
): Promise<boolean> {
  const runIds = runsOfAttempts(task, ledger);
  const removeOutput = () => {
    for (const name of outputFiles) removeEntry(directory.tasks, name);
  };
  const wasRecorded = await ledger.deleteTask(task.id).catch((error: unknown) => {
    if (!isDiskFull(error)) throw error;
    // It was found to be terminal; what makes room comes first then.
    removeOutput();
    return ledger.deleteTask(task.id);
  });
  removeOutput();
  forgetWorktree(directory.path, task.id);
  for (const runId of runIds) if (ledger.getRun(runId) === undefined) removeEntry(directory.owners, ownerLockName(runId));
  if (!ledger.hasSession(task.sessionId)) removeEntry(directory.sessions, task.sessionId);
  return wasRecorded;
}

function outputFilesOf(tasks: PinnedDirectory, id: TaskId): string[] {
  try {
    return [outputName(id), ...segmentOffsets(tasks, id).map((offset) => segmentName(id, offset))];
  } catch (error) {
    throw storageFailure(`Cannot look for the output of task "${id}"`, error);
  }
}

function runsOfAttempts({ id, attempt }: Pick<TaskState, "id" | "attempt">, ledger: Ledger): Set<string> {
  const attempts = Array.from({ length: attempt }, (_, index) => ledger.getTask(id, index + 1));
  return new Set(attempts.flatMap((task) => (task === undefined ? [] : [task.runId])));
}

/** Throws an `AppError` of reason `storage`. What is missing already is fine. */
export function removeEntry(directory: PinnedDirectory, name: string): void {
  try {
    rmSync(directory.entry(name), { recursive: true, force: true });
  } catch (error) {
    throw storageFailure(`Cannot remove "${directory.path}/${name}"`, error);
  }
}
