import { exitFor } from "../core/exit-code.ts";
import type { TaskEnding, TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus } from "../core/task.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import type { Ledger } from "../store/ledger.ts";
import { noticeOfEnd } from "./notice-of-end.ts";
import { survivorsNote } from "./survivors-note.ts";

/**
 * Why nobody works on a task any more.
 *
 * - `owner_lost`: the process that ran it ended without a word
 * - `killed`: somebody had that process ended in order to stop the task
 */
export type LostTaskReason = "owner_lost" | "killed";

/**
 * Ends the pending and running tasks of a run that has no owner any more. Notices that are due wait on record for an
 * attempt of the parent to come. For whoever holds the owner's lock.
 *
 * @param params.survivors pids that outlived all attempts to end them
 * @returns the records as they stand now, children before their parents
 */
export async function endLostTasks(params: {
  readonly runId: string;
  readonly ledger: Ledger;
  readonly now: () => number;
  readonly survivors: readonly number[];
  readonly reason: LostTaskReason;
}): Promise<TaskState[]> {
  const { ledger, runId, now } = params;
  const lost = ledger.tasksOfRun(runId).filter((task) => !isTerminalTaskStatus(task.status));
  const rootTaskId = ledger.getRun(runId)?.rootTaskId;
  const ending = endingFor(params.reason, params.survivors);
  const ended: TaskState[] = [];
  // Parents were recorded before their children.
  for (const task of lost.toReversed()) {
    const record = await ledger.endTask(task.id, task.attempt, ending, {
      endTime: now(),
      durable: task.isBackgrounded !== false,
      // Whoever waited for a task in the foreground learns of its end by the result of the call.
      // What a run is was asked for by a user, also where an agent has started it once.
      ...(task.isBackgrounded === false || task.id === rootTaskId ? {} : noticeOfEnd(task)),
    });
    if (TEST_HOOKS) crashPoint("reaper-after-end-commit");
    if (record !== undefined) ended.push(record);
  }
  return ended;
}

function endingFor(reason: LostTaskReason, survivors: readonly number[]): TaskEnding {
  const left = survivorsNote(survivors);
  return reason === "killed"
    ? { status: "killed", exit: exitFor("killed"), error: `Stopped on request${left}` }
    : { status: "failed", exit: exitFor("owner_lost"), error: `The process that ran this task is gone${left}` };
}
