import { AppError } from "../core/errors.ts";
import { EVENT_VERSION } from "../core/event-version.ts";
import type { TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus, TASK_STATUSES } from "../core/task.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import type { StateDirectory } from "../platform/state-directory.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import { eventOfType } from "../store/event-line.ts";
import { openEventLines } from "../store/event-lines.ts";
import { encodeEventLine, openEventLog } from "../store/event-log.ts";
import type { RunRow } from "../store/ledger-rows.ts";
import { openSessionDirectory } from "../store/session-directory.ts";
import { recoveredResult } from "./recovered-result.ts";
import { recoveredStart } from "./recovered-start.ts";
import { taskBegun, taskUpdated } from "./task-events.ts";

export interface CompleteEventLogParams {
  readonly run: RunRow;
  readonly state: StateDirectory;
  /** All tasks of the run, as they stand on record now. */
  readonly tasks: readonly TaskState[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Writes what the owner of a run did not come to write: start and end of its tasks, and the last line, `run.result`. The
 * numbers go on from the last whole line; a log that is whole stays as it is. One that cannot be written stays as it is
 * too: the record tells the same. For whoever holds the owner's lock.
 */
export function completeEventLog(params: CompleteEventLogParams): void {
  try {
    appendEnd(params);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

function appendEnd({ run, state, tasks, now }: CompleteEventLogParams): void {
  const session = openSessionDirectory(state, run.sessionId);
  try {
    const log = openEventLog({ directory: session.events, runId: run.runId });
    try {
      if (log.lastEventAtOpen?.["type"] === "run.result") return;
      const root = tasks.find((task) => task.id === run.rootTaskId);
      const told = whatWasTold(session.events, run.runId);
      const started = tasks.filter((task) => !told.started.has(task.id));
      // Parents were recorded before their children.
      const ended = tasks.filter((task) => isTerminalTaskStatus(task.status) && !told.ended.has(task.id)).toReversed();
      const bodies = [
        ...(root === undefined || told.hasBegun ? [] : [recoveredStart(run, root)]),
        ...started.map(taskBegun),
        ...ended.map(taskUpdated),
        ...(root === undefined ? [] : [recoveredResult({ root, tasks })]),
      ];
      bodies.forEach((body, index) => {
        if (TEST_HOOKS) crashPoint("reaper-before-event");
        log.append(encodeEventLine({ v: EVENT_VERSION, seq: log.lastSeqAtOpen + index + 1, ts: now(), run_id: run.runId, ...body }));
      });
    } finally {
      log.close();
    }
  } finally {
    session.close();
  }
}

const TERMINAL_STATUSES = TASK_STATUSES.filter(isTerminalTaskStatus);

/** The tasks whose start and whose end the log knows already. */
interface Told {
  readonly hasBegun: boolean;
  readonly started: ReadonlySet<unknown>;
  readonly ended: ReadonlySet<unknown>;
}

function whatWasTold(directory: PinnedDirectory, runId: string): Told {
  const [started, ended] = [new Set<unknown>(), new Set<unknown>()];
  let hasBegun = false;
  const lines = openEventLines({ directory, runId });
  try {
    for (let batch = lines.read(); batch.length > 0; batch = lines.read()) {
      for (const line of batch) {
        hasBegun = true;
        const start = eventOfType(line, "task.started") ?? eventOfType(line, "task.resumed");
        if (start !== undefined) started.add(start["task_id"]);
        const update = eventOfType(line, "task.updated");
        if (TERMINAL_STATUSES.some((status) => status === update?.["status"])) ended.add(update?.["task_id"]);
      }
    }
  } finally {
    lines.close();
  }
  return { hasBegun, started, ended };
}
