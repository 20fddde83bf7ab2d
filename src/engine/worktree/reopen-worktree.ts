import { lstatSync } from "node:fs";
import { AppError } from "../../core/errors.ts";
import type { Worktree } from "../../core/worktree.ts";
import { recreateWorktree } from "./create-worktree.ts";
import { linkedGitDirectory } from "./linked-git-directory.ts";
import type { WorktreeWorld } from "./worktree.ts";
import { keepWorktreeRecord, type WorktreeRecord } from "./worktree-record.ts";

/**
 * Takes up the worktree of a task for its next attempt. One that was removed because nothing had changed is made again as
 * it was.
 *
 * Rejects with an `AppError`: `conflict` where it is gone, `failed` where it is not what git has made.
 */
export async function reopenWorktree({ worktree, outcome }: WorktreeRecord, runId: string, world: WorktreeWorld): Promise<Worktree> {
  const reopened = { ...worktree, runId };
  if (outcome?.kept === false && !outcome.changed) return await recreateWorktree(reopened, world);
  const gone = outcome?.kept === false ? outcome.reason : lstatSync(worktree.path, { throwIfNoEntry: false }) === undefined ? "its directory is gone" : undefined;
  if (gone !== undefined) {
    throw new AppError("conflict", `Cannot go on with task "${worktree.id}": it worked in the worktree "${worktree.path}", and ${gone}`, { code: "worktree_gone" });
  }
  const checked = { ...reopened, gitDirectory: linkedGitDirectory(worktree) };
  await keepWorktreeRecord(world.statePath, { worktree: checked });
  return checked;
}
