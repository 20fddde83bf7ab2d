import { reapDeadRuns } from "../engine/reap.ts";
import { AppError } from "../core/errors.ts";
import type { TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import { wallClock } from "../platform/wall-clock.ts";
import type { TaskStore } from "./open-task-store.ts";

/** Looks at tasks of other processes again and again. */
export interface TaskWatch {
  /**
   * The records as they stand now. Now and then it also looks whether the owners of running tasks still live, and cleans
   * up behind those that do not.
   *
   * Rejects with an `AppError` of reason `not_found` when a task was removed.
   */
  look(ids: readonly TaskId[]): Promise<TaskState[]>;
}

const OWNER_CHECK_INTERVAL_MS = 1_000;

/** @param options.now milliseconds from any fixed point */
export function createTaskWatch(
  { directory, ledger }: TaskStore,
  { now = () => performance.now() }: { readonly now?: () => number } = {},
): TaskWatch {
  // Owners were looked at when the state was opened.
  let checkedAt = now();

  function read(id: TaskId): TaskState {
    const task = ledger.getTask(id);
    if (task === undefined) throw new AppError("not_found", `Cannot wait for task "${id}": it was removed`);
    return task;
  }

  return {
    async look(ids) {
      const tasks = ids.map(read);
      const running = tasks.filter((task) => !isTerminalTaskStatus(task.status));
      if (running.length === 0 || now() - checkedAt < OWNER_CHECK_INTERVAL_MS) return tasks;
      checkedAt = now();
      const reaped = await reapDeadRuns({ state: directory, ledger, now: wallClock, only: running.map((task) => task.runId) });
      return reaped.length === 0 ? tasks : ids.map(read);
    },
  };
}
