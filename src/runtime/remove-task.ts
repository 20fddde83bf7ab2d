import { rmSync } from "node:fs";
import type { TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import type { Ledger } from "../store/ledger.ts";
import { ownerLockName } from "../store/owner-lock.ts";
import { storageFailure } from "../store/storage-failure.ts";
import { outputName } from "../store/task-output.ts";
import type { TaskStore } from "./open-task-store.ts";

/** Removes tasks, and what nothing else needs then. */
export interface TaskRemoval {
  /**
   * Removes a terminal task: its record, its output, and the files of its session once no other task is of that session.
   * Links are removed, never followed; what is missing already is fine.
   *
   * Rejects with an `AppError`: `conflict` while the task is alive, `storage` when something cannot be removed.
   */
  remove(task: TaskState): Promise<void>;
}

export function createTaskRemoval({ directory, ledger }: TaskStore): TaskRemoval {
  const tasksBySession = Map.groupBy(ledger.listTasks({ all: true }), (task) => task.sessionId);
  const isLastOfSession = (id: TaskId, sessionId: string) => {
    const others = (tasksBySession.get(sessionId) ?? []).filter((other) => other.id !== id);
    tasksBySession.set(sessionId, others);
    return others.length === 0;
  };
  return {
    async remove(task) {
      const { id, sessionId } = task;
      const runIds = runsOfAttempts(task, ledger);
      await ledger.deleteTask(id);
      removeEntry(directory.tasks, outputName(id));
      for (const runId of runIds) if (ledger.getRun(runId) === undefined) removeEntry(directory.owners, ownerLockName(runId));
      if (isLastOfSession(id, sessionId)) removeEntry(directory.sessions, sessionId);
    },
  };
}

function runsOfAttempts({ id, attempt }: TaskState, ledger: Ledger): Set<string> {
  const attempts = Array.from({ length: attempt }, (_, index) => ledger.getTask(id, index + 1));
  return new Set(attempts.flatMap((task) => (task === undefined ? [] : [task.runId])));
}

function removeEntry(directory: PinnedDirectory, name: string): void {
  try {
    rmSync(directory.entry(name), { recursive: true, force: true });
  } catch (error) {
    throw storageFailure(`Cannot remove "${directory.path}/${name}"`, error);
  }
}
