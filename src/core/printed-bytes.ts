import type { TaskState } from "./task-state.ts";
import { isTerminalTaskStatus } from "./task.ts";

/**
 * How many bytes a task has printed in all, kept or not. Undefined while it runs, and for tasks whose record does not
 * say: agents, and what lost its owner.
 */
export function printedBytes({ status, detail }: Pick<TaskState, "status" | "detail">): number | undefined {
  const { bytesWritten, bytesDropped } = detail;
  if (!isTerminalTaskStatus(status) || typeof bytesWritten !== "number" || typeof bytesDropped !== "number") return undefined;
  return bytesWritten + bytesDropped;
}
