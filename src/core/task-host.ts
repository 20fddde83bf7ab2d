import type { AppState, SetAppState, TaskDetail, TaskEnding, TaskState } from "./task-state.ts";
import type { TaskId } from "./task.ts";
import type { RunEventBody } from "./stream-event.ts";

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
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Puts a durable event into the run's log, then on the stream. */
  readonly emit: (event: RunEventBody) => void;
  /** The environment of child processes, already cleaned of what they must not see. */
  readonly childEnv: Readonly<Record<string, string>>;
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
 * The durable record of tasks. Every call is one IMMEDIATE transaction; it waits while another process writes, for 30 s
 * at most, and then rejects with an `AppError` of reason `storage`.
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
    options: { readonly endTime: number; readonly notification?: NotificationRow; readonly durable: boolean },
  ): Promise<TaskState | undefined>;
  /**
   * Updates fields that carry no promise; undefined when the attempt is unknown, or terminal and the patch changes more
   * than `notified` and `outputOffset`.
   */
  patchTask(id: TaskId, attempt: number, patch: TaskPatch): Promise<TaskState | undefined>;
  /** Remembers a process so that a reaper can end it. */
  addProcess(id: TaskId, attempt: number, process: ProcessIdentity): Promise<void>;
  removeProcess(id: TaskId, attempt: number, pid: number): Promise<void>;
}

export interface TaskPatch {
  readonly isBackgrounded?: boolean;
  readonly notified?: boolean;
  readonly outputOffset?: number;
  readonly description?: string;
  /** Replaces these fields of the detail. */
  readonly detail?: TaskDetail;
}

/** The folder of output files, pinned when the run started. */
export interface TaskOutputs {
  /** Where the file of a task is, for people and commands. */
  path(id: TaskId): string;
  /**
   * Creates the file of a task. Fails with EEXIST when anything stands there, whatever it is: the caller takes a new id.
   */
  create(id: TaskId): TaskOutputWriter;
  /** Makes the output of an agent a link to its transcript. EEXIST as `create`. */
  link(id: TaskId, target: string): void;
}

/** Appends to one output file. Never throws once created: the first failure is remembered and the rest is dropped. */
export interface TaskOutputWriter {
  write(bytes: Uint8Array): void;
  /** Bytes in the file. */
  readonly bytesWritten: number;
  /** Bytes that the cap or a failure kept out of it. */
  readonly bytesDropped: number;
  /** The first failure (`ENOSPC` …), as an `AppError` of reason `storage`. */
  readonly failure: Error | undefined;
  close(): void;
}
