import { AppError } from "../core/errors.ts";
import { EVENT_VERSION } from "../core/event-version.ts";
import type { TaskState } from "../core/task-state.ts";
import type { StateDirectory } from "../platform/state-directory.ts";
import { encodeEventLine, openEventLog } from "../store/event-log.ts";
import type { RunRow } from "../store/ledger-rows.ts";
import { openSessionDirectory } from "../store/session-directory.ts";
import { recoveredResult } from "./recovered-result.ts";
import { taskUpdated } from "./task-events.ts";

export interface CompleteEventLogParams {
  readonly run: RunRow;
  readonly state: StateDirectory;
  /** All tasks of the run, as they stand on record now. */
  readonly tasks: readonly TaskState[];
  /** Those whose end the log does not know yet. */
  readonly ended: readonly TaskState[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Writes what the owner of a run did not come to write: the end of its tasks and the last line, `run.result`. The
 * numbers go on from the last whole line. A log that cannot be written stays as it is: the record tells the same.
 */
export function completeEventLog(params: CompleteEventLogParams): void {
  try {
    appendEnd(params);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

function appendEnd({ run, state, tasks, ended, now }: CompleteEventLogParams): void {
  const session = openSessionDirectory(state, run.sessionId);
  try {
    const log = openEventLog({ directory: session.events, runId: run.runId });
    try {
      if (log.lastEventAtOpen?.["type"] === "run.result") return;
      const root = tasks.find((task) => task.id === run.rootTaskId);
      const bodies = [...ended.map(taskUpdated), ...(root === undefined ? [] : [recoveredResult({ root, tasks })])];
      bodies.forEach((body, index) => {
        log.append(encodeEventLine({ v: EVENT_VERSION, seq: log.lastSeqAtOpen + index + 1, ts: now(), run_id: run.runId, ...body }));
      });
    } finally {
      log.close();
    }
  } finally {
    session.close();
  }
}
