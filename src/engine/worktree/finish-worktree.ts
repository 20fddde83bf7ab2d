import { AppError } from "../../core/errors.ts";
import type { Worktree, WorktreeOutcome } from "../../core/worktree.ts";
import { removeWorktree } from "./remove-worktree.ts";
import type { WorktreeWorld } from "./worktree.ts";
import { worktreeCondition, type WorktreeCondition } from "./worktree-condition.ts";
import { keepWorktreeRecord } from "./worktree-record.ts";

/**
 * Ends the use of a worktree by the task that it was made for. Where it is what it was in the beginning it goes, together
 * with its branch. In every other case, whatever cannot be told included, it is kept.
 *
 * Never throws an `AppError`: a worktree of which something is not known is kept, and the reason says so.
 *
 * @param options.users other tasks that still work there, by their ids
 */
export async function finishWorktree(worktree: Worktree, world: WorktreeWorld, options: { readonly users?: readonly string[] } = {}): Promise<WorktreeOutcome> {
  const outcome = await outcomeOf(worktree, world, options.users ?? []);
  try {
    await keepWorktreeRecord(world.statePath, { worktree, outcome });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // The record of the beginning is still there, and leads to it.
  }
  return outcome;
}

async function outcomeOf(worktree: Worktree, world: WorktreeWorld, users: readonly string[]): Promise<WorktreeOutcome> {
  const condition = await worktreeCondition(worktree, world);
  const { base } = worktree;
  const common = { path: condition.path, branch: condition.branch ?? worktree.branch, base };
  const reasons = [...condition.changes.map((change) => `it has ${change}`), ...condition.doubts, ...condition.secrets, ...condition.obstacles, ...workingTasks(users), ...(condition.hasIgnoredFiles ? ["it has ignored files"] : [])];
  const changed = isChanged(condition);
  if (reasons.length > 0) return { ...common, changed, kept: true, reason: reasons.join("; ") };
  try {
    await removeWorktree(worktree, world, { isForced: false, tip: base });
    return { ...common, changed: false, kept: false, reason: "nothing in it has changed" };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...common, changed: false, kept: true, reason: error.message };
  }
}

/** What could not be looked at counts as changed. */
function isChanged({ changes, doubts, secrets }: WorktreeCondition): boolean {
  return changes.length + doubts.length + secrets.length > 0;
}

function workingTasks(users: readonly string[]): string[] {
  return users.length === 0 ? [] : [`other tasks work in it: ${users.join(", ")}`];
}
