import type { TaskId } from "../core/task.ts";

/** The variable in the environment of a task's processes that holds the task's id. */
export const TASK_ID_VARIABLE = "AGENT_TASK_ID";

/** What the environment of a process proves its task by, as `NAME=value`. */
export function taskMark(id: TaskId): string {
  return `${TASK_ID_VARIABLE}=${id}`;
}

/** The variable that holds the id of the run. */
export const RUN_ID_VARIABLE = "AGENT_RUN_ID";

/** What the environment of a process proves its run by, which is unique beyond one state folder. */
export function runMark(runId: string): string {
  return `${RUN_ID_VARIABLE}=${runId}`;
}
