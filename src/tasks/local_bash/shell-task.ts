import type { TaskState } from "../../core/task-state.ts";
import type { TaskId } from "../../core/task.ts";
import type { HeadTailSnapshot } from "../../lib/head-tail.ts";
import type { ProcessExit } from "../../platform/spawn-shell.ts";

/** A shell that was started, as whoever started it sees it. */
export interface ShellTask {
  readonly id: TaskId;
  readonly outputFile: string;
  /** When a caller that waits in the foreground has waited long enough. Rejects as `ended`. */
  readonly foreground: Promise<ForegroundOutcome>;
  /**
   * The record once it is terminal. Rejects with an `AppError` of reason `storage` when the ending could not be
   * recorded; nobody has to handle that.
   */
  readonly ended: Promise<TaskState>;
  readonly shellExited: Promise<ProcessExit>;
  /** What a foreground call has printed so far; empty for shells that were started in the background. */
  readonly output: () => HeadTailSnapshot;
  readonly bytesWritten: () => number;
  /** What a limit or a failure kept out of the output file. */
  readonly bytesDropped: () => number;
  /** Why nothing more of the output is kept; undefined while all is well. */
  readonly outputFailure: () => Error | undefined;
  /** From now on nobody waits: the end will be notified. */
  background(): Promise<void>;
}

/**
 * - `ended`: the task is over
 * - `lingering`: the shell has exited but left processes; the task is in the background until they end
 */
export type ForegroundOutcome =
  | { readonly type: "ended"; readonly task: TaskState; readonly exit: ProcessExit; readonly isOutputHeld: boolean }
  | { readonly type: "lingering"; readonly exit: ProcessExit; readonly pids: readonly number[] };
