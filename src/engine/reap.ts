import type { TaskState } from "../core/task-state.ts";
import { currentProcess, isSameProcess } from "../platform/process-identity.ts";
import type { StateDirectory } from "../platform/state-directory.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import type { RunRow } from "../store/ledger-rows.ts";
import type { Ledger } from "../store/ledger.ts";
import { type OwnerLock, takeDeadOwnerLock } from "../store/owner-lock.ts";
import { completeEventLog } from "./complete-event-log.ts";
import { endLeftProcesses } from "./end-left-processes.ts";
import { endLostTasks, type LostTaskReason } from "./end-lost-tasks.ts";

export interface ReapOptions {
  readonly state: StateDirectory;
  readonly ledger: Ledger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The runs to look at; all unless told. */
  readonly only?: readonly string[];
  /** `owner_lost` unless told; `killed` for whoever ended the owner on request. */
  readonly reason?: LostTaskReason;
}

/** Every run costs descriptors and a look at all processes while it is reaped. */
const RUNS_AT_ONCE_MAX = 16;

/**
 * Cleans up behind runs whose owner is gone: ends what is left of their processes, then their tasks, and completes their
 * event logs. A run whose owner lives is left alone; several reapers do the work once.
 *
 * Rejects with an `AppError` of reason `storage` when a lock or the ledger cannot be used.
 *
 * @returns the tasks that this call ended
 */
export async function reapDeadRuns(options: ReapOptions): Promise<TaskState[]> {
  const { ledger, only } = options;
  const runs = ledger.liveRuns().filter((run) => only === undefined || only.includes(run.runId));
  const ended: TaskState[] = [];
  for (let start = 0; start < runs.length; start += RUNS_AT_ONCE_MAX) {
    const batch = runs.slice(start, start + RUNS_AT_ONCE_MAX);
    ended.push(...(await Promise.all(batch.map((run) => reapRun(run, options)))).flat());
  }
  return ended;
}

/** The lock is held to the end: whoever gets it next finds nothing left to do. */
async function reapRun(run: RunRow, options: ReapOptions): Promise<TaskState[]> {
  const { ledger, now, state } = options;
  const lock = await lockOf(run, state);
  if (lock === undefined) return [];
  try {
    if (TEST_HOOKS) crashPoint("reaper-locked");
    if (ledger.getRun(run.runId)?.endedAt !== undefined) return [];
    const survivors = await endLeftProcesses(run, ledger);
    if (TEST_HOOKS) crashPoint("reaper-ended-processes");
    const ended = await endLostTasks({ runId: run.runId, ledger, now, survivors, reason: options.reason ?? "owner_lost" });
    completeEventLog({ run, state, tasks: ledger.tasksOfRun(run.runId), now });
    if (TEST_HOOKS) crashPoint("reaper-completed-events");
    await ledger.endRun(run.runId, now());
    if (TEST_HOOKS) crashPoint("reaper-after-run-commit");
    return ended;
  } finally {
    lock.release();
  }
}

/** What an owner was just starting when it died holds its lock until it has become another program. */
const RELEASE_MS_MAX = 1_000;
const RELEASE_POLL_MS = 5;

/** The lock of a run whose owner is gone. One that is seen to be gone is waited for, also where another reaper has the lock. */
async function lockOf({ runId, owner }: RunRow, state: StateDirectory): Promise<OwnerLock | undefined> {
  const deadline = performance.now() + RELEASE_MS_MAX;
  for (;;) {
    const lock = takeDeadOwnerLock(state, runId);
    // Of a process in another container nothing can be seen.
    const isSeenGone = owner.bootId === currentProcess().bootId && !isSameProcess(owner);
    if (lock !== undefined || !isSeenGone || performance.now() >= deadline) return lock;
    await Bun.sleep(RELEASE_POLL_MS);
  }
}
