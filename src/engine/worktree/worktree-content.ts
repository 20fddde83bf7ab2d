import { AppError } from "../../core/errors.ts";
import type { Worktree } from "../../core/worktree.ts";
import { gitText, lineOf, openRepository, type Checkout } from "./repository.ts";
import { commitTree, takeSnapshot } from "./snapshot.ts";
import { rescueRef, type WorktreeWorld } from "./worktree.ts";
import { worktreeCondition, type WorktreeCondition } from "./worktree-condition.ts";
import { withWorktreeFolder } from "./worktree-folder.ts";
import type { WorktreeRecord } from "./worktree-record.ts";

/** All that a task has done in a worktree, as commits. */
export interface WorktreeContent {
  /** A commit with everything. */
  readonly commit: string;
  /** The last commit that the task made itself, and its base where it made none. */
  readonly head: string;
  readonly condition: WorktreeCondition;
  /** Repositories inside that are in no commit. */
  readonly nestedRepositories: readonly string[];
  /** Git bound to the repository. */
  readonly git: Checkout["git"];
}

/**
 * Finds what is in a worktree, and where it is not there any more what was kept of it. Writes no ref.
 *
 * Rejects with an `AppError`: `not_found` where nothing is left of it.
 */
export async function worktreeContent({ worktree }: WorktreeRecord, world: WorktreeWorld): Promise<WorktreeContent> {
  const { git } = await openRepository(worktree.commonDirectory, world);
  const condition = await worktreeCondition(worktree, world);
  const { checkout } = condition;
  if (checkout !== undefined) {
    const snapshot = await withWorktreeFolder(world.statePath, { create: true }, async (_folder, folder) => {
      return await takeSnapshot(checkout, { message: `What agent ${worktree.id} had not committed`, folder });
    });
    const head = gitText(await checkout.git(["rev-parse", "HEAD"]), "Cannot find its current commit").trim();
    return { commit: snapshot.commit, head, condition, nestedRepositories: snapshot.nestedRepositories, git };
  }
  const [kept, tip] = [await commitAt(git, rescueRef(worktree)), await commitAt(git, `refs/heads/${worktree.branch}`)];
  const commit = kept ?? tip;
  if (commit === undefined) throw new AppError("not_found", `Nothing is left of the worktree "${worktree.path}": ${[...condition.doubts, ...condition.secrets].join("; ")}`, { code: "worktree_gone" });
  // What was not committed stands on top of what was.
  const head = commit === tip ? commit : ((await commitAt(git, `${commit}^1`)) ?? commit);
  return { commit, head, condition, nestedRepositories: [], git };
}

/** What the task did as commits alone: what it had not committed is one more. */
export async function tipOf({ commit, head, git }: WorktreeContent, worktree: Worktree): Promise<string> {
  if (commit === head) return head;
  return await commitTree({ git }, `${commit}^{tree}`, [head], `What agent ${worktree.id} had not committed`);
}

export async function commitAt(git: Checkout["git"], name: string): Promise<string | undefined> {
  const result = await git(["rev-parse", "--verify", "--quiet", `${name}^{commit}`]);
  return result.exitCode === 0 ? lineOf(result) : undefined;
}
