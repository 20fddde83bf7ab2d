import { stopTask } from "../engine/stop-task.ts";
import { AppError } from "../core/errors.ts";
import type { TaskHost } from "../core/task-host.ts";
import type { TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import { loadTaskKind } from "../tasks/registry.ts";

/**
 * Ends what still runs when the work of a run is over, all at once, and lists everything that the run had started in
 * the background. Nobody is left to be told, so no notices are sent.
 */
export async function stopChildren(rootTaskId: TaskId, host: TaskHost): Promise<readonly TaskState[]> {
  const running = childrenOf(rootTaskId, host).filter((task) => !isTerminalTaskStatus(task.status));
  await Promise.all(running.map((task) => stopUnlessEnded(task.id, host)));
  return childrenOf(rootTaskId, host).filter((task) => task.isBackgrounded !== false);
}

function childrenOf(rootTaskId: TaskId, host: TaskHost): TaskState[] {
  return Object.values(host.getAppState().tasks).filter((task) => task.id !== rootTaskId);
}

async function stopUnlessEnded(id: TaskId, host: TaskHost): Promise<void> {
  try {
    await stopTask(id, host, { findKind: loadTaskKind, isSilent: true });
  } catch (error) {
    // It ended by itself in the meantime.
    if (!(error instanceof AppError) || error.code !== "not_running") throw error;
  }
}
