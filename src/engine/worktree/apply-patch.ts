import { AppError } from "../../core/errors.ts";
import type { Worktree } from "../../core/worktree.ts";
import { entriesOf, gitText, type Checkout } from "./repository.ts";
import { retryWhileLocked } from "./retry-while-locked.ts";
import { takeSnapshot } from "./snapshot.ts";
import { withWorktreeFolder } from "./worktree-folder.ts";

export interface ApplyPatchParams {
  readonly worktree: Worktree;
  /** Holds all that is to be applied. */
  readonly commit: string;
  readonly original: Checkout;
  readonly isStaged: boolean;
  readonly statePath: string;
}

const NAMED_MAX = 5;

/**
 * Applies what differs between the base of a worktree and a commit to the files of a checkout. Where a file that it is
 * about was changed there meanwhile, or it does not fit, an `AppError` of reason `conflict` is thrown, and nothing has
 * changed.
 */
export async function applyPatch({ worktree, commit, original, isStaged, statePath }: ApplyPatchParams): Promise<void> {
  const { git } = original;
  const compare = ["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "-z"];
  const raw = entriesOf(gitText(await git([...compare, "--raw", worktree.base, commit]), "Cannot compare"));
  // A line about modes and objects, then the path.
  const paths = raw.filter((_, index) => index % 2 === 1);
  if (raw.some((entry, index) => index % 2 === 0 && /^:160000 |^:\d+ 160000 /.test(entry))) {
    throw conflict(worktree, "it changes which commit of a submodule is meant; --merge or --cherry can do that");
  }
  const dirty = worktree.hasCarriedChanges ? await changedSince(worktree, original, statePath) : await dirtyFiles(original);
  const touched = paths.filter((path) => dirty.has(path));
  if (touched.length > 0) {
    throw conflict(worktree, `these files have changes there that are not committed: ${touched.slice(0, NAMED_MAX).join(", ")}${touched.length > NAMED_MAX ? " …" : ""}`);
  }
  const input = (await checked(git, ["diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv", worktree.base, commit])).stdout;
  // What git remembers of the files may be older than they are without any difference.
  if (isStaged) await retryWhileLocked(() => git(["update-index", "-q", "--refresh"]));
  const apply = ["apply", "--whitespace=nowarn", ...(isStaged ? ["--index"] : [])];
  const check = await git([...apply, "--check", "-"], { input });
  if (check.exitCode !== 0) throw conflict(worktree, `it does not fit: ${check.complaint}`);
  const applied = await retryWhileLocked(() => git([...apply, "-"], { input }));
  if (applied.exitCode !== 0) throw conflict(worktree, applied.complaint);
}

async function checked(git: Checkout["git"], args: readonly string[]) {
  const result = await git(args);
  gitText(result, "Cannot compare");
  return result;
}

/** The tracked files that differ from the current commit. What is not tracked git itself never overwrites. */
async function dirtyFiles({ git }: Checkout): Promise<ReadonlySet<string>> {
  const args = ["status", "--porcelain=v2", "-z", "--untracked-files=no", "--ignore-submodules=dirty", "--no-renames"];
  const entries = entriesOf(gitText(await git(args), "Cannot look at the checkout"));
  return new Set(entries.flatMap((entry) => (/^[1u] /.test(entry) ? [entry.split(" ").slice(fieldsBefore(entry)).join(" ")] : [])));
}

/** How many words stand before the path: one that was not merged has more. */
function fieldsBefore(entry: string): number {
  return entry.startsWith("u ") ? 10 : 8;
}

/** The files that are not any more what was carried along. */
async function changedSince({ base, id }: Worktree, original: Checkout, statePath: string): Promise<ReadonlySet<string>> {
  const { tree } = await withWorktreeFolder(statePath, { create: true }, async (_folder, folder) => {
    return await takeSnapshot(original, { message: `The checkout before the work of agent ${id} was applied`, folder });
  });
  return new Set(entriesOf(gitText(await original.git(["diff-tree", "-r", "--no-renames", "--name-only", "-z", base, tree]), "Cannot compare")));
}

function conflict({ id, repositoryRoot }: Worktree, why: string): AppError {
  return new AppError("conflict", `Cannot apply the work of task "${id}" to "${repositoryRoot}": ${why}`, { code: "does_not_apply" });
}
