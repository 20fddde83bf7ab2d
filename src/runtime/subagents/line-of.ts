import type { AppState } from "../../core/task-state.ts";
import type { TaskId } from "../../core/task.ts";

/** An agent and whoever it works for in this run, upwards: of one that works that is up to the root. */
export function lineOf(id: TaskId, tasks: AppState["tasks"]): readonly TaskId[] {
  const line = new Set<TaskId>();
  line.add(id);
  // The root may be an agent that another one started, which does not work in this run.
  for (let next = tasks[id]?.parentTaskId; next !== undefined && tasks[next] !== undefined && !line.has(next); next = tasks[next]?.parentTaskId) line.add(next);
  return [...line];
}
