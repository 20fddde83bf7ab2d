import type { TaskHost } from "../core/task-host.ts";
import type { TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";

/**
 * A task of this conversation: as it stands in memory, or as it stands on record where memory no longer needs it. That
 * includes tasks of the conversation's earlier runs.
 *
 * Throws an `AppError` of reason `storage` when the record cannot be read.
 */
export function findTask(id: TaskId, host: Pick<TaskHost, "getAppState" | "ledger" | "sessionId">): TaskState | undefined {
  const task = host.getAppState().tasks[id];
  if (task !== undefined) return task;
  const record = host.ledger.getTask(id);
  return record?.sessionId === host.sessionId ? record : undefined;
}
