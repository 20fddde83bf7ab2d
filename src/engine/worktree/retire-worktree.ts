import { join } from "node:path";
import { AppError, errorMessage, systemErrorCode } from "../../core/errors.ts";
import type { Worktree, WorktreeOutcome } from "../../core/worktree.ts";
import { readTextFile } from "../../platform/read-text-file.ts";
import { entriesOfLines, gitText } from "./repository.ts";
import { removeWorktree } from "./remove-worktree.ts";
import { retryWhileLocked } from "./retry-while-locked.ts";
import { commitTree } from "./snapshot.ts";
import { rescueRef, type WorktreeWorld } from "./worktree.ts";
import { commitAt, type WorktreeContent } from "./worktree-content.ts";
import { keepWorktreeRecord, type WorktreeRecord } from "./worktree-record.ts";

/**
 * Removes a worktree whose content somebody has taken over or does not want, together with its branch. First a ref keeps
 * all of it: the files but ignored ones, what was staged, every commit that was checked out there. Where something could
 * not be kept, or somebody is at work in it, it stays.
 *
 * Rejects with an `AppError` where the ref cannot be written; then nothing was removed.
 *
 * @param options.reason why it goes, as the end of a sentence
 * @param options.keepsIgnored whether ignored files keep it from being removed
 */
export async function retireWorktree(
  { worktree }: WorktreeRecord,
  content: WorktreeContent,
  world: WorktreeWorld,
  options: { readonly reason: string; readonly keepsIgnored: boolean },
): Promise<WorktreeOutcome> {
  const { condition } = content;
  const common = { path: condition.path, branch: worktree.branch, base: worktree.base, changed: true };
  const reasons = [
    ...condition.secrets,
    ...content.nestedRepositories.map((path) => `the repository "${path}" inside cannot be kept otherwise`),
    ...condition.obstacles,
    ...(options.keepsIgnored && condition.hasIgnoredFiles ? ["it has ignored files"] : []),
  ];
  const outcome: WorktreeOutcome = reasons.length > 0 ? { ...common, kept: true, reason: reasons.join("; ") } : await removed();
  await keepWorktreeRecord(world.statePath, { worktree, outcome });
  return outcome;

  async function removed(): Promise<WorktreeOutcome> {
    const commit = await lastingCommit(worktree, content);
    const isWorthKeeping = commit !== worktree.base || worktree.hasCarriedChanges;
    const ref = isWorthKeeping ? await pointRescueRef(worktree, commit, content) : undefined;
    try {
      await removeWorktree(worktree, world, { isForced: true, tip: await commitAt(content.git, `refs/heads/${worktree.branch}`) });
      return { ...common, kept: false, reason: options.reason, ref };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { ...common, kept: true, reason: error.message, ref };
    }
  }
}

/** Not before the branch goes: for as long as it is there, a ref of the same name stands in its way. */
async function pointRescueRef(worktree: Worktree, commit: string, { git }: WorktreeContent): Promise<string> {
  const ref = rescueRef(worktree);
  gitText(await retryWhileLocked(() => git(["update-ref", ref, commit])), `Cannot write the ref "${ref}"`);
  return ref;
}

const OTHERS_MAX = 100;

/** A commit from which everything is reached that the worktree alone led to. */
async function lastingCommit(worktree: Worktree, { commit, git }: WorktreeContent): Promise<string> {
  const tip = await commitAt(git, `refs/heads/${worktree.branch}`);
  const seen = [...new Set([...(tip === undefined ? [] : [tip]), ...commitsNamedIn(worktree.gitDirectory)])];
  if (seen.length === 0) return commit;
  const others = entriesOfLines(gitText(await git(["rev-list", "--no-walk=unsorted", "--stdin"], { input: [...seen, `^${commit}`, ""].join("\n") }), "Cannot look for its commits"));
  if (others.length > OTHERS_MAX) throw new AppError("failed", `Cannot keep what is in the worktree "${worktree.path}": ${others.length} commits in it hang together with nothing`, { code: "worktree" });
  return others.length === 0 ? commit : await commitTree({ git }, `${commit}^{tree}`, [commit, ...others], `All that agent ${worktree.id} had checked out`);
}

const NAMING_FILES = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge/orig-head", "rebase-apply/orig-head", "logs/HEAD"];
const NAMING_BYTES_MAX = 16_777_216;

function commitsNamedIn(gitDirectory: string): string[] {
  const text = gitDirectory === "" ? [] : NAMING_FILES.map((name) => textOf(join(gitDirectory, name)));
  // A line of the log begins with the commit before and the one after.
  return [...text.join("\n").matchAll(/^([0-9a-f]{40,64})(?: ([0-9a-f]{40,64}) |$)/gm)].flatMap(([, first = "", second]) => [first, second ?? first]).filter((id) => !/^0+$/.test(id));
}

function textOf(path: string): string {
  try {
    const file = readTextFile(path, { bytesMax: NAMING_BYTES_MAX });
    if (file?.isCut === true) throw new AppError("failed", `Cannot read "${path}": it is too long`, { code: "worktree" });
    return file?.text ?? "";
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return "";
    throw new AppError("failed", `Cannot read "${path}": ${errorMessage(error)}`, { code: "worktree", cause: error });
  }
}
