/** The seven kinds of background work. The literal is also the name of the kind's folder under `tasks/`. */
export const TASK_TYPES = [
  "local_bash",
  "local_agent",
  "remote_agent",
  "in_process_teammate",
  "local_workflow",
  "monitor_mcp",
  "dream",
] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/**
 * Where an attempt at a task stands.
 *
 * - `pending`: recorded, not started
 * - `running`: its owner works on it
 * - `completed`: ended, and it did what it was for
 * - `failed`: ended on its own without that, or its owner vanished
 * - `killed`: ended because somebody asked for it
 */
export const TASK_STATUSES = ["pending", "running", "completed", "failed", "killed"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];
export type TerminalTaskStatus = "completed" | "failed" | "killed";

declare const taskIdBrand: unique symbol;
/** One prefix letter for the type and eight characters of `TASK_ID_ALPHABET`. */
export type TaskId = string & { readonly [taskIdBrand]: true };

/** Lower case and digits only: ids stay distinct on file systems that ignore case. */
export const TASK_ID_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz";
export const TASK_ID_RANDOM_LENGTH = 8;
export const TASK_ID_PREFIXES: Readonly<Record<TaskType, string>> = {
  local_bash: "b",
  local_agent: "a",
  remote_agent: "r",
  in_process_teammate: "t",
  local_workflow: "w",
  monitor_mcp: "m",
  dream: "d",
};
const TASK_ID_PATTERN = /^[bartwmd][0-9a-z]{8}$/;

/** Whether text is a task id. Checked before an id from outside becomes part of a path. */
export function isTaskId(text: string): text is TaskId {
  return TASK_ID_PATTERN.test(text);
}

export function isTerminalTaskStatus(status: TaskStatus): status is TerminalTaskStatus {
  return status === "completed" || status === "failed" || status === "killed";
}

/**
 * The statuses from which an attempt may move to `next`. Nothing goes back, and a terminal status is written once.
 * The ledger uses this as the guard of its UPDATE.
 */
export function statusesBefore(next: TaskStatus): readonly TaskStatus[] {
  switch (next) {
    case "pending":
      return [];
    case "running":
      return ["pending"];
    case "completed":
      return ["running"];
    case "failed":
    case "killed":
      return ["pending", "running"];
  }
}

/** Whether a task is background work that a user wants to see: alive, and not explicitly in the foreground. */
export function isBackgroundTask(task: { readonly status: TaskStatus; readonly isBackgrounded?: boolean | undefined }): boolean {
  return !isTerminalTaskStatus(task.status) && task.isBackgrounded !== false;
}
