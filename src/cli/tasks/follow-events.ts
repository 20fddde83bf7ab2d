import { reapDeadRuns } from "../../engine/reap.ts";
import { wallClock } from "../../platform/wall-clock.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import { eventOfType } from "../../store/event-line.ts";
import { openEventLines } from "../../store/event-lines.ts";
import type { RunRow } from "../../store/ledger-rows.ts";
import { openSessionDirectory } from "../../store/session-directory.ts";

export interface FollowEventsOptions {
  readonly run: RunRow;
  readonly store: TaskStore;
  /** Whether to wait for more until the run has ended. */
  readonly isFollowing: boolean;
  /** Whether nobody wants to read any more. */
  readonly isStopped: () => boolean;
}

const POLL_MS = 50;
const OWNER_CHECK_INTERVAL_MS = 1_000;

/**
 * The lines of a run's event log as they are stored, some at a time. Where the run's owner is gone, the log is brought to
 * its end before; `run.result` is the last line then, as it is behind a run that ended well.
 *
 * Rejects with an `AppError`: `not_found` when there is no log, `storage` when it cannot be read.
 */
export async function* followEvents({ run, store, isFollowing, isStopped }: FollowEventsOptions): AsyncGenerator<readonly Uint8Array[]> {
  const { directory: state, ledger } = store;
  const session = openSessionDirectory(state, run.sessionId, { create: false });
  try {
    const log = openEventLines({ directory: session.events, runId: run.runId });
    try {
      let checkedAt = Number.NEGATIVE_INFINITY;
      let isOver = false;
      for (;;) {
        // Asked before the log is read, so that nothing is missed.
        if (performance.now() - checkedAt >= OWNER_CHECK_INTERVAL_MS) {
          await reapDeadRuns({ state, ledger, now: wallClock, only: [run.runId] });
          isOver = hasEnded(run, store);
          checkedAt = performance.now();
        }
        for (let lines = log.read(); lines.length > 0; lines = log.read()) {
          yield lines;
          if (isStopped() || lines.some((line) => eventOfType(line, "run.result") !== undefined)) return;
        }
        if (isOver || !isFollowing || isStopped()) return;
        await Bun.sleep(POLL_MS);
      }
    } finally {
      log.close();
    }
  } finally {
    session.close();
  }
}

/** From then on nobody writes to the log of a run; a run that was removed from the record least of all. */
function hasEnded({ runId }: RunRow, { ledger }: TaskStore): boolean {
  const run = ledger.getRun(runId);
  return run === undefined || run.endedAt !== undefined;
}
