import type { TaskId } from "../core/task.ts";

/** The variable in the environment of a task's processes that holds the task's id. */
export const TASK_ID_VARIABLE = "AGENT_TASK_ID";

/** What the environment of a process proves its task by, as `NAME=value`. */
export function taskMark(id: TaskId): string {
  return `${TASK_ID_VARIABLE}=${id}`;
}

/** The variable that holds the id of the run. */
export const RUN_ID_VARIABLE = "AGENT_RUN_ID";

/** The variable that holds the id of the task to which the notice of a task's end goes. */
export const PARENT_TASK_ID_VARIABLE = "AGENT_PARENT_TASK_ID";

/** The variable that says how deep the agents are nested for whom a command runs, across runs: 0, or none, outside of any. */
export const DEPTH_VARIABLE = "AGENT_DEPTH";

/** What nobody but a run has set; anything else counts as none. */
export function depthIn(env: Readonly<Record<string, string | undefined>>): number {
  const text = env[DEPTH_VARIABLE] ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : 0;
}

/** An environment without what would make its process count as one of another run's. */
export function withoutMarks(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const { [RUN_ID_VARIABLE]: _run, [TASK_ID_VARIABLE]: _task, [PARENT_TASK_ID_VARIABLE]: _parent, ...others } = env;
  return others;
}

/** What the environment of a process proves its run by, which is unique beyond one state folder. */
export function runMark(runId: string): string {
  return `${RUN_ID_VARIABLE}=${runId}`;
}
