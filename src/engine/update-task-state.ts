import type { SetAppState, TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";

/**
 * Changes the in-memory mirror of one task. Nothing happens when the task is not in memory or when `update` returns the
 * reference it got.
 */
export function updateTaskState(id: TaskId, setAppState: SetAppState, update: (task: TaskState) => TaskState): void {
  setAppState((state) => {
    const task = state.tasks[id];
    if (task === undefined) return state;
    const updated = update(task);
    return updated === task ? state : { ...state, tasks: { ...state.tasks, [id]: updated } };
  });
}
