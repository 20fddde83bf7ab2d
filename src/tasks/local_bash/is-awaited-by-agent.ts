import type { TaskState } from "../../core/task-state.ts";

/** Whether an agent waits for a shell in the foreground and gets its output from memory when it is over. */
export function isAwaitedByAgent({ isBackgrounded, parentTaskId }: Pick<TaskState, "isBackgrounded" | "parentTaskId">): boolean {
  return isBackgrounded === false && parentTaskId !== undefined;
}
