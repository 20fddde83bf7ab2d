import type { TaskState } from "./task-state.ts";
import { isTerminalTaskStatus } from "./task.ts";

/**
 * Whether a run may not end before a task has ended and its outcome has been delivered. Agents, workflows and remote
 * tasks count, in the background as in the foreground; monitors never end by themselves, and a shell is waited for where
 * the model says so.
 */
export function isCountedWork(task: Pick<TaskState, "type">): boolean {
  return task.type === "local_agent" || task.type === "local_workflow" || task.type === "remote_agent";
}

/** The tasks a run still waits for; `rootTaskId` itself is not among them. */
export function unfinishedWork(rootTaskId: string, tasks: readonly TaskState[]): TaskState[] {
  return tasks.filter((task) => task.id !== rootTaskId && isCountedWork(task) && !isTerminalTaskStatus(task.status));
}

/** The counted tasks whose outcome never came into the conversation. */
export function undeliveredWork(rootTaskId: string, tasks: readonly TaskState[]): TaskState[] {
  return tasks.filter((task) => task.id !== rootTaskId && isCountedWork(task) && (!isTerminalTaskStatus(task.status) || !task.notified));
}

/** The commands that run in the background, which nobody waits for unless the model does. */
export function runningShells(tasks: readonly TaskState[]): TaskState[] {
  return tasks.filter((task) => task.type === "local_bash" && task.isBackgrounded !== false && !isTerminalTaskStatus(task.status));
}
