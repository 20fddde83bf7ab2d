import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { Worktree } from "../../core/worktree.ts";
import type { GitResult } from "../../platform/git.ts";
import type { Checkout } from "./repository.ts";
import { retryWhileLocked } from "./retry-while-locked.ts";

export interface MergeParams {
  readonly worktree: Worktree;
  /** The last commit that is to be taken over. */
  readonly tip: string;
  readonly original: Checkout;
}

const MERGE_TIMEOUT_MS = 300_000;

/** Merges the commits of a worktree into the current branch of a checkout, in the user's name. Throws an `AppError` of reason `conflict` where that is not possible as it is, and takes back what was begun. */
export async function mergeBranch({ worktree, tip, original }: MergeParams): Promise<void> {
  if (worktree.hasCarriedChanges) {
    throw conflict(worktree, "a merge would commit the changes that were carried along too; leave out --merge, or commit them and use --cherry");
  }
  const message = `Merge the work of agent ${worktree.id}`;
  await attempt({ worktree, original }, ["merge", "--no-ff", "--no-stat", "--no-edit", "-m", message, tip], { abort: ["merge", "--abort"], marks: ["MERGE_HEAD"] });
}

/** Repeats the commits of a worktree on the current branch of a checkout. Throws as `mergeBranch`. */
export async function cherryPick({ worktree, tip, original }: MergeParams): Promise<void> {
  const args = ["cherry-pick", "--allow-empty", "--keep-redundant-commits", `${worktree.base}..${tip}`];
  await attempt({ worktree, original }, args, { abort: ["cherry-pick", "--abort"], marks: ["CHERRY_PICK_HEAD", "sequencer"] });
}

async function attempt(
  { worktree, original }: Pick<MergeParams, "worktree" | "original">,
  args: readonly string[],
  { abort, marks }: { readonly abort: readonly string[]; readonly marks: readonly string[] },
): Promise<void> {
  const [driver] = original.programs.mergeDrivers;
  if (driver !== undefined) {
    throw conflict(worktree, `the repository's own configuration names the merge driver "${driver}", which is not run; apply it without --merge and --cherry`);
  }
  const isGoingOn = () => UNFINISHED.some((name) => existsSync(join(original.gitDirectory, name)));
  if (isGoingOn()) throw conflict(worktree, "a merge, rebase or cherry-pick is going on there");
  const result = await retryWhileLocked(() => original.git(args, { timeoutMs: MERGE_TIMEOUT_MS }));
  if (result.exitCode === 0) return;
  const hasBegun = marks.some((name) => existsSync(join(original.gitDirectory, name)));
  const undone = hasBegun ? await original.git(abort, { timeoutMs: MERGE_TIMEOUT_MS }) : undefined;
  const left = undone === undefined || undone.exitCode === 0 ? "" : `; it could not be taken back: ${undone.complaint}`;
  throw conflict(worktree, `${reasonOf(result)}${left}`);
}

const UNFINISHED = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer"];

/** Git tells of conflicts on stdout. */
function reasonOf({ stdout, complaint }: GitResult): string {
  const conflicts = stdout.toString().split("\n").filter((line) => line.startsWith("CONFLICT"));
  return conflicts.length > 0 ? conflicts.join("; ") : complaint;
}

function conflict({ id, repositoryRoot }: Worktree, why: string): AppError {
  return new AppError("conflict", `Cannot apply the work of task "${id}" to "${repositoryRoot}": ${why}`, { code: "does_not_apply" });
}
