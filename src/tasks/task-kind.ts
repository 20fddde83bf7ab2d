import type { z } from "zod";
import type { SetAppState } from "../core/task-state.ts";
import type { TaskId, TaskType } from "../core/task.ts";

/**
 * What is really dispatched by the type of a task. Starting differs by kind in its arguments, so each kind has its own
 * start function instead.
 */
export interface TaskKind {
  readonly type: TaskType;
  /** For people, singular: "shell", "local agent". */
  readonly name: string;
  /** Describes `TaskState.detail` of this kind. */
  readonly detailSchema: () => z.ZodType;
  /** Ends the effect of a running task and resolves when it has ended. The framework writes the status. */
  kill(id: TaskId, setAppState: SetAppState): Promise<void>;
}
