import type { TaskState } from "../../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId } from "../../core/task.ts";

/** Whether another agent of a session bears a name and has not ended: a model may give the name of one that has to another. */
export function isNameInUse(name: string, { id, sessionId }: { readonly id: TaskId; readonly sessionId: string }, ledger: { agentsNamed(name: string, sessionId: string): readonly TaskState[] }): boolean {
  return ledger.agentsNamed(name, sessionId).some((other) => other.id !== id && !isTerminalTaskStatus(other.status));
}
