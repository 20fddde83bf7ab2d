import { reapDeadRuns } from "../engine/reap.ts";
import { AppError } from "../core/errors.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import { isHaltedBySignal } from "../platform/halted-process.ts";
import { wallClock } from "../platform/wall-clock.ts";
import type { RunRow } from "../store/ledger-rows.ts";
import type { TaskStore } from "./open-task-store.ts";
import { requestOwner } from "./request-owner.ts";

/** Something that the owner of a task is asked to do about it. */
export interface OwnerQuestion {
  readonly id: TaskId;
  readonly run: RunRow;
  readonly store: TaskStore;
  readonly op: "stop" | "send" | "wake" | "look" | "interrupt";
  readonly fields?: Readonly<Record<string, unknown>>;
  /** How long the owner may take. */
  readonly timeoutMs: number;
}

/** A run that is just starting does not listen yet. */
const CONNECT_RETRY_MS = 50;

/**
 * Asks the owner of a running task, again and again while nobody listens, and resolves with its answer.
 *
 * Rejects with the `AppError` that the owner answered, or with one of reason `conflict` where there is no answer: its
 * code is `halted`, `unreachable` or `no_answer`.
 */
export async function askOwner({ id, run, store, op, fields, timeoutMs }: OwnerQuestion): Promise<unknown> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    // A halted process would only find the request when it goes on, which may be never.
    if (isHaltedBySignal(run.owner)) throw new AppError("conflict", "it was halted by a signal", { code: "halted" });
    try {
      return await requestOwner({ run, store, request: { op, task_id: id, ...fields }, timeoutMs: Math.max(1, deadline - performance.now()) });
    } catch (error) {
      const mayListenLater = error instanceof AppError && error.code === "unreachable";
      if (!mayListenLater || performance.now() + CONNECT_RETRY_MS >= deadline || !isAlive(id, store)) throw error;
    }
    await reapDeadRuns({ state: store.directory, ledger: store.ledger, now: wallClock, only: [run.runId] });
    await Bun.sleep(CONNECT_RETRY_MS);
  }
}

/** Whether an error of `askOwner` says that there was no answer. */
export function isUnanswered(error: AppError): boolean {
  return ["halted", "unreachable", "no_answer"].includes(error.code);
}

function isAlive(id: TaskId, { ledger }: TaskStore): boolean {
  const task = ledger.getTask(id);
  return task !== undefined && !isTerminalTaskStatus(task.status);
}
