import { reapDeadRuns } from "../engine/reap.ts";
import { AppError } from "../core/errors.ts";
import type { TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import { requestControl } from "../platform/control-socket.ts";
import { isHaltedBySignal } from "../platform/halted-process.ts";
import { openPinnedDirectory, type PinnedDirectory } from "../platform/pinned-directory.ts";
import { openRuntimeDirectory } from "../platform/state-directory.ts";
import { controlSocketName } from "../store/control-name.ts";
import type { RunRow } from "../store/ledger-rows.ts";
import { endOwner } from "./end-owner.ts";
import type { TaskStore } from "./open-task-store.ts";

/** How long to wait unless the user says otherwise: owners give processes 5 s between the polite and the forced end. */
export const STOP_TIMEOUT_MS = 10_000;

export interface RequestStopOptions {
  readonly id: TaskId;
  readonly store: TaskStore;
  /** How long the owner may take to end the task. */
  readonly timeoutMs: number;
  /** Ends the owner by signal, and with it all its tasks, when it does not answer. */
  readonly isForced: boolean;
}

/**
 * Stops a task of another process, through the process that owns it.
 *
 * Rejects with an `AppError`: `not_found`; `conflict` with code `not_running` when the task has ended, on its own or with
 * its owner, and with code `no_answer` when the owner lives and does not answer.
 */
export async function requestStop(options: RequestStopOptions): Promise<void> {
  const { id, store } = options;
  const task = aliveTask(options);
  const run = store.ledger.getRun(task.runId);
  if (run === undefined) throw new AppError("conflict", `Cannot stop task "${id}": its run is not on record`, { code: "no_owner" });
  const failure = await askOwner(run, options);
  if (failure === undefined) return;
  await reapDeadRuns({ state: store.directory, ledger: store.ledger, now: Date.now, only: [run.runId] });
  // Somebody else's request, or one for its parent, has stopped it.
  if (store.ledger.getTask(id)?.status === "killed") return;
  const current = aliveTask(options);
  if (!options.isForced) throw unanswered(current, run, failure);
  await endOwner(run, store);
  const after = store.ledger.getTask(id);
  if (after !== undefined && !isTerminalTaskStatus(after.status)) throw unanswered(after, run, failure);
}

function aliveTask({ id, store }: RequestStopOptions): TaskState {
  const task = store.ledger.getTask(id);
  if (task === undefined) throw new AppError("not_found", `Cannot stop task "${id}": it is not on record`);
  if (!isTerminalTaskStatus(task.status)) return task;
  const why = task.exit?.reason === "owner_lost" ? "the process that ran it is gone" : `it is ${task.status}`;
  throw new AppError("conflict", `Cannot stop task "${id}": ${why}`, { code: "not_running" });
}

/** A run that is just starting does not listen yet. */
const CONNECT_RETRY_MS = 50;

/** Undefined once the owner says that the task is stopped; otherwise why nobody knows. */
async function askOwner(run: RunRow, options: RequestStopOptions): Promise<AppError | undefined> {
  const deadline = Date.now() + options.timeoutMs;
  for (;;) {
    // A halted process would only find the request when it goes on, which may be never.
    if (isHaltedBySignal(run.owner)) return new AppError("conflict", "it was halted by a signal", { code: "halted" });
    const failure = await askOnce(run, options, Math.max(1, deadline - Date.now()));
    if (failure?.code !== "unreachable" || Date.now() + CONNECT_RETRY_MS >= deadline || !isAlive(options)) return failure;
    await reapDeadRuns({ state: options.store.directory, ledger: options.store.ledger, now: Date.now, only: [run.runId] });
    await Bun.sleep(CONNECT_RETRY_MS);
  }
}

function isAlive({ id, store }: RequestStopOptions): boolean {
  const task = store.ledger.getTask(id);
  return task !== undefined && !isTerminalTaskStatus(task.status);
}

async function askOnce(run: RunRow, { id, store }: RequestStopOptions, timeoutMs: number): Promise<AppError | undefined> {
  let directory: PinnedDirectory | undefined;
  try {
    directory = openControlDirectory(run, store);
    await requestControl({ directory, name: controlSocketName(run.runId), request: { op: "stop", task_id: id }, timeoutMs });
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  } finally {
    directory?.close();
  }
}

function openControlDirectory(run: RunRow, { paths, directory }: TaskStore): PinnedDirectory {
  if (run.controlDirectory === undefined) return openRuntimeDirectory(paths, directory);
  return openPinnedDirectory(run.controlDirectory, { create: false });
}

function unanswered(task: TaskState, run: RunRow, failure: AppError): AppError {
  const why = isHaltedBySignal(run.owner) ? "was halted by a signal" : `did not do it (${failure.message})`;
  return new AppError(
    "conflict",
    `Cannot stop task "${task.id}": the process of its run, ${run.owner.pid}, ${why}; "agent stop --force ${task.id}" ends that process and all its tasks`,
    { code: "no_answer", cause: failure },
  );
}
