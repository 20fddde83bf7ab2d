import type { TaskId } from "../core/task.ts";
import type { RootInput } from "./root-input.ts";
import type { OpenRun } from "./open-run.ts";
import type { RunOutcome } from "./run-outcome.ts";
import type { RunParams } from "./run-params.ts";
import type { RunStop } from "./run-request.ts";

/** The root task of a run, on record. */
export interface RootWork {
  readonly taskId: TaskId;
  /** False where the work could not be started: the task is on record as failed. */
  readonly hasStarted?: false;
  /** Does the work, or waits for what does it. Called once; rejects for defects only. */
  readonly finish: () => Promise<RunOutcome>;
  /** The door into the conversation; absent where the root task is a command. */
  readonly input?: RootInput;
}

/** What the root task of a run is made of. */
export interface RootWorkParams extends RunParams {
  readonly run: OpenRun;
  /** Ends the whole run; resolves when its ending is on record. */
  readonly stopRoot: (stop: RunStop) => Promise<void>;
}
