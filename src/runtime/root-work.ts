import type { TaskId } from "../core/task.ts";
import type { OpenRun } from "./open-run.ts";
import type { RunOutcome } from "./run-outcome.ts";
import type { RunParams } from "./run-params.ts";
import type { RunStop } from "./run-request.ts";

/** The root task of a run, on record. */
export interface RootWork {
  readonly taskId: TaskId;
  /** Does the work, or waits for what does it. Called once; rejects for defects only. */
  readonly finish: () => Promise<RunOutcome>;
}

/** What the root task of a run is made of. */
export interface RootWorkParams extends RunParams {
  readonly run: OpenRun;
  /** Ends the whole run; resolves when its ending is on record. */
  readonly stopRoot: (stop: RunStop) => Promise<void>;
}
