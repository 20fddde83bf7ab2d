import type { TaskHost } from "../../core/task-host.ts";
import type { Worktree } from "../../core/worktree.ts";
import { updateTaskState } from "../update-task-state.ts";

/** Puts on record in which worktree a task works, or has worked, and what else is to be known of that. */
export async function noteWorktree({ id, path, branch, base }: Worktree, news: Readonly<Record<string, unknown>>, host: TaskHost): Promise<void> {
  const attempt = host.getAppState().tasks[id]?.attempt;
  if (attempt === undefined) return;
  const detail = { worktreePath: path, worktreeBranch: branch, worktree: { path, branch, base }, ...news };
  await host.ledger.patchTask(id, attempt, { detail });
  updateTaskState(id, host.setAppState, (task) => ({ ...task, detail: { ...task.detail, ...detail } }));
}
