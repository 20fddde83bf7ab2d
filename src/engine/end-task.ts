import { nearestLivingAncestor } from "../core/living-ancestor.ts";
import type { TaskHost } from "../core/task-host.ts";
import type { TaskEnding, TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import { evictTerminalTask } from "./evict-terminal-task.ts";
import { noticeOfEnd } from "./notice-of-end.ts";
import { forgetEffect } from "./running-effect.ts";
import { taskUpdated } from "./task-events.ts";
import { updateTaskState } from "./update-task-state.ts";

/**
 * Writes the terminal status of a task: in the ledger together with the notification that is due, then in memory, then
 * as an event. Notices that the task itself has not got are then due to its nearest living ancestor. Of several who try,
 * one wins; for the others this returns undefined and nothing changes.
 *
 * @param options.isSilent no notification is due: the caller hands the outcome over itself, or asked for it
 */
export async function endTask(
  id: TaskId,
  ending: TaskEnding,
  host: TaskHost,
  options: { readonly isSilent: boolean },
): Promise<TaskState | undefined> {
  const { tasks } = host.getAppState();
  const task = tasks[id];
  if (task === undefined) return undefined;
  const heir = nearestLivingAncestor(task, tasks);
  if (TEST_HOOKS) crashPoint("before-end-commit");
  const ended = await host.ledger.endTask(id, task.attempt, ending, {
    endTime: host.now(),
    durable: task.isBackgrounded !== false,
    ...(options.isSilent ? {} : noticeOfEnd(task, tasks)),
    ...(heir === undefined ? {} : { heir }),
  });
  if (TEST_HOOKS) crashPoint("after-end-commit");
  forgetEffect(id, host.setAppState);
  if (ended === undefined) return undefined;
  updateTaskState(id, host.setAppState, (current) => (current.mirror === undefined ? ended : { ...ended, mirror: current.mirror }));
  host.emit(taskUpdated(ended));
  // Whoever started it has its outcome.
  if (options.isSilent && task.parentTaskId !== undefined) evictTerminalTask(id, host.setAppState, host.now());
  return ended;
}
