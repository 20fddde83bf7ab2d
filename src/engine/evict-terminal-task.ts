import type { SetAppState, TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";

/**
 * Drops a task from memory once nothing needs it there: it is terminal, its notice has been given, and no viewer holds
 * it. The record and the output stay on disk.
 *
 * @param now milliseconds since the epoch
 */
export function evictTerminalTask(id: TaskId, setAppState: SetAppState, now: number): void {
  setAppState((state) => {
    const task = state.tasks[id];
    if (task === undefined || !canEvict(task, now)) return state;
    const { [id]: _evicted, ...others } = state.tasks;
    return { ...state, tasks: others };
  });
}

function canEvict(task: TaskState, now: number): boolean {
  if (!isTerminalTaskStatus(task.status) || !task.notified) return false;
  return task.mirror === undefined || !task.mirror.retain || (task.mirror.evictAfter ?? Number.POSITIVE_INFINITY) <= now;
}
