import type { AppState, SetAppState, TaskDetail, TaskEnding, TaskState } from "./task-state.ts";
import type { TaskOutputs } from "./task-output.ts";
import type { TaskId } from "./task.ts";
import type { RunEventBody } from "./stream-event.ts";
import type { Supervision } from "./supervision.ts";
import type { Worktree } from "./worktree.ts";

/**
 * What the run process offers to everything that is a task: the durable record, the output files, the in-memory mirror,
 * the clock and the event stream. One per run; `runtime/` composes it, `engine/` and the task kinds use it.
 */
export interface TaskHost {
  readonly runId: string;
  readonly sessionId: string;
  readonly ledger: TaskLedger;
  readonly outputs: TaskOutputs;
  readonly getAppState: () => AppState;
  readonly setAppState: SetAppState;
  /** Calls `listener` after each change of that state. Returns how to stop that. */
  readonly onStateChange: (listener: () => void) => () => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds from any fixed point, without the time in which the run was halted. */
  readonly activeMs: () => number;
  /** Puts a durable event into the run's log, then on the stream. */
  readonly emit: (event: RunEventBody) => void;
  /** The environment of child processes, already cleaned of what they must not see. */
  readonly childEnv: Readonly<Record<string, string>>;
  readonly supervision: Supervision;
  /** The state folder. */
  readonly statePath: string;
  /** The worktrees in which tasks of this run work, by the task that each was made for. One map that changes. */
  readonly worktrees: Map<TaskId, Worktree>;
}

/** A process that a task started, in a form that can be recognized later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time as the operating system states it; tells a process from a later one with the same pid. */
  readonly startTime: string;
  /** Changes at every boot; a pid means nothing across boots. */
  readonly bootId: string;
}

/** A notification that is due to the agent which started a task. */
export interface NotificationRow {
  readonly notificationId: string;
  readonly taskId: TaskId;
  readonly attempt: number;
  readonly recipientTaskId: TaskId;
}

/**
 * The durable record of tasks. What is written at once is one IMMEDIATE transaction; it waits while another process
 * writes, for 30 s at most, and then rejects with an `AppError` of reason `storage`.
 */
export interface TaskLedger {
  /** Records a new attempt. Rejects with `conflict` when the (task, attempt) exists. */
  insertTask(task: TaskState, options: { readonly durable: boolean }): Promise<void>;
  /**
   * Moves an attempt to `running`, or to a terminal status together with its notification.
   *
   * @returns the record as it stands now when this call made the transition, undefined when the status did not allow it
   */
  startTask(id: TaskId, attempt: number): Promise<TaskState | undefined>;
  endTask(
    id: TaskId,
    attempt: number,
    ending: TaskEnding,
    options: {
      readonly endTime: number;
      readonly notification?: NotificationRow;
      /** Who gets the notices that were due to this task. */
      readonly heir?: TaskId;
      readonly durable: boolean;
    },
  ): Promise<TaskState | undefined>;
  /**
   * Updates fields that carry no promise; undefined when the attempt is unknown, or terminal and the patch changes more
   * than `notified` and `outputOffset`.
   */
  patchTask(id: TaskId, attempt: number, patch: TaskPatch): Promise<TaskState | undefined>;
  /** Remembers a process so that a reaper can end it. */
  addProcess(id: TaskId, attempt: number, process: ProcessIdentity): Promise<void>;
  removeProcess(id: TaskId, attempt: number, pid: number): Promise<void>;
  /** The latest attempt unless one is named. Throws an `AppError` of reason `storage` when it cannot be read. */
  getTask(id: TaskId, attempt?: number): TaskState | undefined;
}

export interface TaskPatch {
  readonly isBackgrounded?: boolean;
  readonly notified?: boolean;
  readonly outputOffset?: number;
  readonly description?: string;
  /** Replaces these fields of the detail. */
  readonly detail?: TaskDetail;
}
