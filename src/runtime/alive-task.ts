import { AppError } from "../core/errors.ts";
import type { TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import type { RunRow } from "../store/ledger-rows.ts";
import type { TaskStore } from "./open-task-store.ts";

/** A task that has not ended, and the run that owns it. */
export interface AliveTask {
  readonly task: TaskState;
  readonly run: RunRow;
}

/**
 * Finds a task that something is to be done with.
 *
 * Throws an `AppError`: `not_found`, or `conflict` with code `not_running` when it has ended and `no_owner` when its run is
 * not on record.
 *
 * @param action as in `Cannot stop task "…"`
 */
export function aliveTask(id: TaskId, { ledger }: TaskStore, action: string): AliveTask {
  const task = ledger.getTask(id);
  if (task === undefined) throw new AppError("not_found", `Cannot ${action} task "${id}": it is not on record`);
  if (isTerminalTaskStatus(task.status)) {
    const why = task.exit?.reason === "owner_lost" ? "the process that ran it is gone" : `it is ${task.status}`;
    throw new AppError("conflict", `Cannot ${action} task "${id}": ${why}`, { code: "not_running" });
  }
  const run = ledger.getRun(task.runId);
  if (run === undefined) throw new AppError("conflict", `Cannot ${action} task "${id}": its run is not on record`, { code: "no_owner" });
  return { task, run };
}
