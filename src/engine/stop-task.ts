import { AppError } from "../core/errors.ts";
import { exitFor } from "../core/exit-code.ts";
import type { TaskHost } from "../core/task-host.ts";
import type { SetAppState, TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId, type TaskType } from "../core/task.ts";
import { findTask } from "./find-task.ts";
import { endTask } from "./end-task.ts";

/** The part of a task kind that stopping needs: it ends the effect, never the record. */
export interface Killable {
  kill(id: TaskId, setAppState: SetAppState): Promise<void>;
}

/**
 * The one way to stop a task, for a model's call, a control request and the end of a run alike.
 *
 * Throws an `AppError`, in this order of checks: `not_found`; `conflict` with code `not_running`, or `own_run` where another run has it; `usage` with code
 * `unsupported_type` where this build has no such kind. A task that ends on its own while it is being stopped keeps its
 * own ending.
 *
 * @param options.isSilent whether the task's parent is spared the notice, because it asked for the stop itself
 */
export async function stopTask(
  id: TaskId,
  host: TaskHost,
  options: { readonly findKind: (type: TaskType) => Promise<Killable | undefined>; readonly isSilent: boolean },
): Promise<TaskState> {
  const task = findTask(id, host);
  if (task === undefined) throw new AppError("not_found", `Cannot stop task "${id}": this run has no such task`);
  if (isTerminalTaskStatus(task.status)) {
    throw new AppError("conflict", `Cannot stop task "${id}": it is ${task.status}`, { code: "not_running" });
  }
  if (task.runId !== host.runId) throw new AppError("conflict", `Cannot stop task "${id}": it works in a run of its own, for its user`, { code: "own_run" });
  const kind = await options.findKind(task.type);
  if (kind === undefined) {
    throw new AppError("usage", `Cannot stop task "${id}": tasks of type "${task.type}" are not in this build`, { code: "unsupported_type" });
  }
  await kind.kill(id, host.setAppState);
  // Whoever waits for a task in the foreground learns of its end by the result of the call.
  const isSilent = options.isSilent || task.isBackgrounded === false;
  const stopped = await endTask(id, { status: "killed", exit: exitFor("killed"), error: "Stopped on request" }, host, { isSilent });
  return stopped ?? findTask(id, host) ?? task;
}
