import { lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { Worktree } from "../../core/worktree.ts";
import { linkedGitDirectory } from "./linked-git-directory.ts";
import { gitText, openRepository } from "./repository.ts";
import { retryWhileLocked } from "./retry-while-locked.ts";
import type { WorktreeWorld } from "./worktree.ts";
import { withWorktreeFolder } from "./worktree-folder.ts";

/**
 * Removes a worktree and then its branch, which must stand where the caller has seen it. Refuses whatever is no linked
 * worktree in the folder of worktrees, the original checkout first of all.
 *
 * Rejects with an `AppError`; then as much as possible is left.
 *
 * @param options.isForced also with changes and ignored files: the caller has kept what is to be kept
 * @param options.tip the commit that the branch is at; undefined leaves the branch
 */
export async function removeWorktree(
  worktree: Worktree,
  world: WorktreeWorld,
  options: { readonly isForced: boolean; readonly tip: string | undefined },
): Promise<void> {
  const { git } = await openRepository(worktree.commonDirectory, world);
  await refuseForeignPath(worktree, world.statePath);
  // Without force git itself looks once more, right before it removes anything.
  const force = options.isForced ? ["--force"] : [];
  gitText(await retryWhileLocked(() => git(["worktree", "remove", ...force, worktree.path])), `Cannot remove the worktree "${worktree.path}"`);
  if (options.tip === undefined) return;
  gitText(await retryWhileLocked(() => git(["update-ref", "-d", `refs/heads/${worktree.branch}`, options.tip ?? ""])), `Cannot remove the branch "${worktree.branch}"`);
}

async function refuseForeignPath(worktree: Worktree, statePath: string): Promise<void> {
  await withWorktreeFolder(statePath, { create: false }, async (_folder, folder) => {
    if (dirname(worktree.path) !== folder) throw new AppError("failed", `Cannot remove "${worktree.path}": it is not in the folder of worktrees`, { code: "foreign_worktree" });
  });
  if (lstatSync(worktree.path, { throwIfNoEntry: false }) === undefined) return;
  if (realpathSync(worktree.path) !== worktree.path) throw new AppError("failed", `Cannot remove "${worktree.path}": it is a link`, { code: "foreign_worktree" });
  linkedGitDirectory(worktree);
}
