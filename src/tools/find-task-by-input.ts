import type { AgentContext } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import type { TaskState } from "../core/task-state.ts";
import { findTask } from "../engine/find-task.ts";
import { isTaskId } from "../core/task.ts";

/**
 * The task of this conversation that a model names. The text is checked before it gets near a path.
 *
 * Throws an `AppError`: `usage` when it is no id, `not_found` when this conversation has no such task.
 *
 * @param action begins the message: "read the output of"
 */
export function findTaskByInput(text: string, context: AgentContext, action: string): TaskState {
  if (!isTaskId(text)) {
    throw new AppError("usage", `Cannot ${action} task ${JSON.stringify(text.slice(0, 40))}: a task id is a letter and 8 lower-case letters or digits`, {
      code: "invalid_task_id",
    });
  }
  const task = findTask(text, context.host);
  if (task === undefined) throw new AppError("not_found", `Cannot ${action} task "${text}": this conversation has no such task`);
  return task;
}
