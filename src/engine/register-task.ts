import type { TaskHost } from "../core/task-host.ts";
import type { TaskState } from "../core/task-state.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import { taskBegun } from "./task-events.ts";

/**
 * Records an attempt at a task in the ledger, then mirrors it in memory and announces it.
 *
 * A later attempt is announced as `task.resumed`. Where the task is in memory already with a mirror, what a viewer holds
 * and what waits for delivery is kept, and the same attempt is not announced again.
 *
 * Rejects as `TaskLedger.insertTask` does; then nothing is in memory and nothing was announced.
 */
export async function registerTask(task: TaskState, host: TaskHost, options: { readonly durable: boolean }): Promise<void> {
  if (TEST_HOOKS) crashPoint("before-task-commit");
  await host.ledger.insertTask(task, options);
  if (TEST_HOOKS) crashPoint("after-task-commit");
  let isFirst = true;
  host.setAppState((state) => {
    const existing = state.tasks[task.id];
    isFirst = existing?.attempt !== task.attempt;
    return { ...state, tasks: { ...state.tasks, [task.id]: existing === undefined ? task : mergeOnReplace(existing, task) } };
  });
  if (isFirst) host.emit(taskBegun(task));
}

function mergeOnReplace(existing: TaskState, replacement: TaskState): TaskState {
  if (existing.mirror === undefined) return replacement;
  return { ...replacement, startTime: existing.startTime, mirror: existing.mirror };
}
