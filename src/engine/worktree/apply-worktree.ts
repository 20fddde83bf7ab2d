import { AppError } from "../../core/errors.ts";
import type { Worktree, WorktreeOutcome } from "../../core/worktree.ts";
import { applyPatch } from "./apply-patch.ts";
import { cherryPick, mergeBranch } from "./merge-commits.ts";
import { findCheckout, type Checkout } from "./repository.ts";
import { retireWorktree } from "./retire-worktree.ts";
import type { WorktreeWorld } from "./worktree.ts";
import { tipOf, worktreeContent } from "./worktree-content.ts";
import type { WorktreeRecord } from "./worktree-record.ts";

/**
 * - `changes`: as changes of the files that are neither staged nor committed
 * - `squash`: the same, staged
 * - `merge`: a merge commit
 * - `cherry`: its commits one by one
 */
export type ApplyMode = "changes" | "squash" | "merge" | "cherry";

const APPLIED = "it was applied";

/**
 * Takes what a task has done in its worktree over into the checkout that the worktree was made from: all of it, or nothing
 * where it does not fit. Then the worktree goes, unless something in it was not taken over.
 *
 * Rejects with an `AppError`: `conflict` where it does not fit or there is nothing to apply.
 */
export async function applyWorktree(record: WorktreeRecord, mode: ApplyMode, world: WorktreeWorld): Promise<WorktreeOutcome> {
  const { worktree, outcome } = record;
  if (outcome?.kept === false && outcome.ref === undefined) throw nothingToApply(worktree, outcome.reason);
  if (outcome?.kept === false && outcome.reason === APPLIED) throw nothingToApply(worktree, `${APPLIED} already; ${outcome.ref} still holds it`);
  const content = await worktreeContent(record, world);
  if (content.nestedRepositories.length > 0) {
    throw new AppError("conflict", `Cannot apply the work of task "${worktree.id}": the repository "${content.nestedRepositories[0]}" inside its worktree is no part of it; move it away first`, { code: "nested_repository" });
  }
  if (content.commit === worktree.base) throw nothingToApply(worktree, "nothing in it has changed");
  const original = await originalCheckout(worktree, world);
  switch (mode) {
    case "changes":
    case "squash":
      await applyPatch({ worktree, commit: content.commit, original, isStaged: mode === "squash", statePath: world.statePath });
      break;
    case "merge":
      await mergeBranch({ worktree, tip: await tipOf(content, worktree), original });
      break;
    case "cherry":
      await cherryPick({ worktree, tip: await tipOf(content, worktree), original });
      break;
  }
  return await retireWorktree(record, content, world, { reason: APPLIED, keepsIgnored: true });
}

function nothingToApply({ id }: Worktree, why: string): AppError {
  return new AppError("conflict", `Nothing to apply of task "${id}": ${why}`, { code: "nothing_to_apply" });
}

async function originalCheckout({ repositoryRoot, commonDirectory }: Worktree, world: WorktreeWorld): Promise<Checkout> {
  const original = await findCheckout(repositoryRoot, world).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw new AppError("not_found", `The checkout "${repositoryRoot}" is gone`, { code: "checkout_gone", cause: error });
    throw error;
  });
  if (original.workTree === repositoryRoot && original.commonDirectory === commonDirectory) return original;
  throw new AppError("conflict", `Cannot apply to "${repositoryRoot}": it is another repository now`, { code: "checkout_gone" });
}
