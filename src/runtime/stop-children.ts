import { stopTask } from "../engine/stop-task.ts";
import { AppError } from "../core/errors.ts";
import type { TaskHost } from "../core/task-host.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import { loadTaskKind } from "../tasks/registry.ts";

/**
 * Ends what still runs when the work of a run is over, all at once. Nobody is left to be told, so no notices are sent.
 */
export async function stopChildren(rootTaskId: TaskId, host: TaskHost): Promise<void> {
  const running = Object.values(host.getAppState().tasks).filter((task) => task.id !== rootTaskId && !isTerminalTaskStatus(task.status));
  await Promise.all(running.map((task) => stopUnlessEnded(task.id, host)));
}

async function stopUnlessEnded(id: TaskId, host: TaskHost): Promise<void> {
  try {
    await stopTask(id, host, { findKind: loadTaskKind, isSilent: true });
  } catch (error) {
    // It ended by itself in the meantime.
    if (!(error instanceof AppError) || error.code !== "not_running") throw error;
  }
}
