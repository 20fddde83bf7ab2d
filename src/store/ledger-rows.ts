import type { ProcessIdentity } from "../core/task-host.ts";
import type { TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";

/** A run: one process, which owns the tasks that name it. */
export interface RunRow {
  readonly runId: string;
  readonly sessionId: string;
  readonly rootTaskId: TaskId;
  readonly owner: ProcessIdentity;
  /** The version of the program that runs it. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly endedAt?: number;
  /** Where the run's control socket is: the environment of whoever looks for it may name another place. */
  readonly controlDirectory?: string;
  /** What the marks of its processes begin with; runs of older programs have none. */
  readonly processMark?: string;
}

/** What every row of the table of tasks shows. */
export type TaskBaseRow = Omit<TaskState, "detail" | "mirror">;

/** What a list shows of a task: all but what its kind alone understands, and how far an agent has come. */
export interface TaskSummaryRow extends TaskBaseRow {
  readonly turnCount?: number;
  readonly tokenCount?: number;
  /** US dollars. */
  readonly costUsd?: number;
  readonly lastActivity?: string;
}

/** A process that a task started. */
export interface TaskProcessRow extends ProcessIdentity {
  readonly taskId: TaskId;
  readonly attempt: number;
}
