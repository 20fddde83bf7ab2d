import type { TaskId } from "../core/task.ts";
import type { Worktree } from "../core/worktree.ts";
import type { RunCassette } from "./cassette/run-cassette.ts";
import type { RootInput } from "./root-input.ts";
import type { OpenRun } from "./open-run.ts";
import type { RunOutcome } from "./run-outcome.ts";
import type { RunParams } from "./run-params.ts";
import type { OutgoingMessage } from "./send-message.ts";
import type { RunStop } from "./run-request.ts";

/** The root task of a run, on record. */
export interface RootWork {
  readonly taskId: TaskId;
  /** False where the work could not be started: the task is on record as failed. */
  readonly hasStarted?: false;
  /** Does the work, or waits for what does it. Called once; rejects for defects only. */
  readonly finish: () => Promise<RunOutcome>;
  /** The doors into the conversations of the agents that work now; the root's among them where it is one. */
  readonly inputs: ReadonlyMap<TaskId, RootInput>;
  /** Present where the root is an agent. Rejects with an `AppError` where the agent cannot be woken here. */
  readonly wake?: WakeAgent;
}

/** Lets an agent of the conversation that has ended go on with a message, for the root. */
export type WakeAgent = (id: TaskId, message: OutgoingMessage) => Promise<void>;

/** What the root task of a run is made of. */
export interface RootWorkParams extends RunParams {
  readonly run: OpenRun;
  /** The worktree that the request was moved to. */
  readonly worktree?: Worktree;
  /** Present where the run is recorded or replayed. */
  readonly cassette?: RunCassette | undefined;
  /** Ends the whole run; resolves when its ending is on record. */
  readonly stopRoot: (stop: RunStop) => Promise<void>;
}
