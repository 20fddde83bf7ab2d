import { AppError } from "../../core/errors.ts";
import type { TaskHost } from "../../core/task-host.ts";
import { isTerminalTaskStatus, type TaskId } from "../../core/task.ts";
import type { Worktree, WorktreeOutcome } from "../../core/worktree.ts";
import { isInside } from "../../lib/is-inside.ts";
import { createWorktree, type CreatedWorktree, type CreateWorktreeOptions } from "./create-worktree.ts";
import { finishWorktree } from "./finish-worktree.ts";
import { reopenWorktree } from "./reopen-worktree.ts";
import type { WorktreeWorld } from "./worktree.ts";
import { readWorktreeRecord } from "./worktree-record.ts";

/**
 * Makes the worktree in which a task of this run is to work; `endIsolation` ends that, and the end of the run at the
 * latest. Rejects as `createWorktree`: the task must not be started then.
 *
 * @param signal gives up when it is aborted
 */
export async function isolateTask(options: Omit<CreateWorktreeOptions, "runId">, host: TaskHost, signal?: AbortSignal): Promise<CreatedWorktree> {
  const created = await createWorktree({ ...options, runId: host.runId }, { ...worktreeWorld(host), ...(signal === undefined ? {} : { signal }) });
  host.worktrees.set(options.id, created.worktree);
  return created;
}

/** Takes up the worktree of a task that goes on. Rejects as `reopenWorktree`. */
export async function resumeIsolation(id: TaskId, host: TaskHost): Promise<Worktree> {
  const record = readWorktreeRecord(host.statePath, id);
  if (record === undefined) throw new AppError("conflict", `Cannot go on with task "${id}": nothing is known of its worktree`, { code: "worktree_gone" });
  const worktree = await reopenWorktree(record, host.runId, worktreeWorld(host));
  host.worktrees.set(id, worktree);
  return worktree;
}

/**
 * Looks at what a task has done in its worktree, and removes it where that is nothing. While other tasks of the run work in
 * it, it is kept; the end of the run looks again.
 */
export async function endIsolation(worktree: Worktree, host: TaskHost): Promise<WorktreeOutcome> {
  const others = Object.values(host.getAppState().tasks).filter((task) => task.id !== worktree.id && !isTerminalTaskStatus(task.status) && isInside(task.cwd, worktree.path));
  const outcome = await finishWorktree(worktree, worktreeWorld(host), { users: others.map(({ id }) => id) });
  if (others.length === 0) host.worktrees.delete(worktree.id);
  return outcome;
}

export function worktreeWorld(host: Pick<TaskHost, "childEnv" | "supervision" | "statePath" | "now">): WorktreeWorld {
  return { env: host.childEnv, statePath: host.statePath, now: host.now, supervise: (start) => host.supervision.start(start) };
}
