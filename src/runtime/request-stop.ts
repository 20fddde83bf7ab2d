import { AppError } from "../core/errors.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import { aliveTask } from "./alive-task.ts";
import { askOwner } from "./ask-owner.ts";
import { endOwner } from "./end-owner.ts";
import type { TaskStore } from "./open-task-store.ts";
import { reapLostOwner } from "./reap-lost-owner.ts";
import { unanswered } from "./unanswered.ts";

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
  const { run } = aliveTask(id, store, "stop");
  const failure = await failureOf(askOwner({ id, run, store, op: "stop", timeoutMs: options.timeoutMs }));
  if (failure === undefined) return;
  await reapLostOwner(run, store);
  // Somebody else's request, or one for its parent, has stopped it.
  if (store.ledger.getTask(id)?.status === "killed") return;
  aliveTask(id, store, "stop");
  const hint = `"agent stop --force ${id}" ends that process and all its tasks`;
  const unstopped = () => unanswered({ id, run, action: "stop", failure, hint });
  if (!options.isForced) throw unstopped();
  await endOwner(run, store);
  const after = store.ledger.getTask(id);
  if (after !== undefined && !isTerminalTaskStatus(after.status)) throw unstopped();
}

async function failureOf(asked: Promise<unknown>): Promise<AppError | undefined> {
  try {
    await asked;
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
