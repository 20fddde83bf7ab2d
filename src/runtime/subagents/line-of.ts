import type { AppState } from "../../core/task-state.ts";
import type { TaskId } from "../../core/task.ts";

/** An agent and whoever it works for, upwards, as far as memory goes: of one that works that is up to the root. */
export function lineOf(id: TaskId, tasks: AppState["tasks"]): readonly TaskId[] {
  const line = new Set<TaskId>();
  for (let next: TaskId | undefined = id; next !== undefined && !line.has(next); next = tasks[next]?.parentTaskId) line.add(next);
  return [...line];
}
