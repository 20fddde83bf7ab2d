import type { TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import type { Ledger } from "../store/ledger.ts";

/** The nearest agent above a task, as the record has them, that has not ended. */
export function workingAbove({ parentTaskId }: Pick<TaskState, "parentTaskId">, ledger: Pick<Ledger, "getTask">): TaskId | undefined {
  const seen = new Set<TaskId>();
  for (let id = parentTaskId; id !== undefined && !seen.has(id); ) {
    seen.add(id);
    const task = ledger.getTask(id);
    if (task !== undefined && !isTerminalTaskStatus(task.status)) return id;
    id = task?.parentTaskId;
  }
  return undefined;
}
