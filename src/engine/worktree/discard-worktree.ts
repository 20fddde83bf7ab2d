import { AppError } from "../../core/errors.ts";
import type { WorktreeOutcome } from "../../core/worktree.ts";
import { retireWorktree } from "./retire-worktree.ts";
import type { WorktreeWorld } from "./worktree.ts";
import { worktreeContent } from "./worktree-content.ts";
import { isWorktreeThere, type WorktreeRecord } from "./worktree-record.ts";

/**
 * Throws away what a task has done in its worktree: the worktree goes with its ignored files, and a ref keeps the rest.
 *
 * Rejects with an `AppError`: `conflict` where there is nothing to discard or something in it could not be kept.
 */
export async function discardWorktree(record: WorktreeRecord, world: WorktreeWorld): Promise<WorktreeOutcome> {
  const { worktree, outcome } = record;
  if (!isWorktreeThere(record)) throw new AppError("conflict", `Nothing to discard: the worktree of task "${worktree.id}" was removed, because ${outcome?.kept === false ? outcome.reason : "somebody took it away"}`, { code: "worktree_gone" });
  const retired = await retireWorktree(record, await worktreeContent(record, world), world, { reason: "it was discarded", keepsIgnored: false });
  if (!retired.kept) return retired;
  throw new AppError("conflict", `Cannot remove the worktree "${retired.path}": ${retired.reason}`, { code: "worktree_kept" });
}
