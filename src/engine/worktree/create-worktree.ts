import { mkdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { AppError, errorMessage, systemErrorCode } from "../../core/errors.ts";
import { isTaskId, type TaskId } from "../../core/task.ts";
import type { Worktree } from "../../core/worktree.ts";
import { isInside } from "../../lib/is-inside.ts";
import type { PinnedDirectory } from "../../platform/pinned-directory.ts";
import { resolveRealPath } from "../../platform/resolve-real-path.ts";
import { storageFailure } from "../../store/storage-failure.ts";
import { linkedGitDirectory } from "./linked-git-directory.ts";
import { refuseFilteredFiles } from "./filtered-files.ts";
import { entriesOf, findCheckout, gitText, lineOf, openCheckout, type Checkout } from "./repository.ts";
import { retryWhileLocked } from "./retry-while-locked.ts";
import { takeSnapshot } from "./snapshot.ts";
import { withWorktreeFolder } from "./worktree-folder.ts";
import { writeWorktreeRecord } from "./worktree-record.ts";
import { rescueRef, type WorktreeWorld } from "./worktree.ts";

export interface CreateWorktreeOptions {
  /** The task that is to work there. Names are made of it, never of anything that a model says. */
  readonly id: TaskId;
  readonly runId: string;
  /** The directory that the task would work in: a real path. */
  readonly cwd: string;
  /** The commit to begin with, as a user names it; the current one unless given. */
  readonly baseRef?: string | undefined;
  /** Whether what is not committed comes along, as the first commit of the new branch. Ignored files never do. */
  readonly carriesChanges?: boolean;
}

export interface CreatedWorktree {
  readonly worktree: Worktree;
  /** What the task does not find there although it was in the original. */
  readonly warnings: readonly string[];
}

const NAMES_MAX = 10;
/** A large repository takes its time to be written out. */
const CHECKOUT_TIMEOUT_MS = 300_000;

/**
 * Makes a worktree for a task, on a new branch, below the state folder. Nothing of the original checkout changes, and
 * nothing of the repository is run.
 *
 * Rejects with an `AppError` that says why it cannot be had; then nothing is left of it. Whoever asked for isolation must
 * fail then, and not go on in the original.
 */
export async function createWorktree(options: CreateWorktreeOptions, world: WorktreeWorld): Promise<CreatedWorktree> {
  if (!isTaskId(options.id)) throw new AppError("usage", `Cannot name a worktree ${JSON.stringify(options.id)}: it is no task id`, { code: "bad_name" });
  const original = await findCheckout(options.cwd, world);
  return await withWorktreeFolder(world.statePath, { create: true }, async (folder, folderPath) => {
    if (isInside(folderPath, original.workTree)) {
      throw new AppError("failed", `Cannot make a worktree in "${folderPath}": it is inside the repository "${original.workTree}"; set AGENT_STATE_DIR to a folder elsewhere`, {
        code: "state_in_repository",
      });
    }
    const head = await commitOf(original, "HEAD", "it has no commit yet");
    const start = options.baseRef === undefined ? head : await commitOf(original, options.baseRef, `there is no commit "${options.baseRef}"`);
    const carried = options.carriesChanges === true ? await carriedChanges(original, { start, head, id: options.id, folder: folderPath }) : undefined;
    const place = await takeName(original, options.id, folder);
    const worktree: Worktree = {
      id: options.id,
      runId: options.runId,
      path: join(folderPath, place.name),
      branch: place.branch,
      base: carried?.commit ?? start,
      baseRef: options.baseRef,
      hasCarriedChanges: carried?.isClean === false,
      repositoryRoot: original.workTree,
      commonDirectory: original.commonDirectory,
      gitDirectory: "",
      cwdInside: join(folderPath, place.name, relative(original.workTree, options.cwd)),
      originalCwd: options.cwd,
      createdAt: world.now(),
    };
    const made = await checkOut(worktree, original, folder, world);
    const nested = (carried?.nestedRepositories ?? []).map((path) => `The repository "${path}" inside was not carried along`);
    return { worktree: made, warnings: [...nested, ...(await submoduleWarnings(original))] };
  });
}

/** Makes again what was removed because nothing had changed. Rejects as `createWorktree`, also where its names are taken. */
export async function recreateWorktree(worktree: Worktree, world: WorktreeWorld): Promise<Worktree> {
  const original = await findCheckout(worktree.originalCwd, world);
  return await withWorktreeFolder(world.statePath, { create: true }, async (folder, folderPath) => {
    await commitOf(original, worktree.base, `the commit ${worktree.base} that its worktree began with is gone`);
    const isFree = dirname(worktree.path) === folderPath && (await isBranchFree(original, worktree.branch));
    if (!isFree || !makeEmptyDirectory(folder, basename(worktree.path))) {
      throw new AppError("conflict", `Cannot make the worktree "${worktree.path}" again: something else has its name`, { code: "worktree_gone" });
    }
    return await checkOut(worktree, original, folder, world);
  });
}

async function commitOf({ git, workTree }: Checkout, ref: string, why: string): Promise<string> {
  const result = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`]);
  if (result.exitCode === 0 && /^[0-9a-f]{40,64}\n$/.test(result.stdout.toString())) return lineOf(result);
  throw new AppError("failed", `Cannot make a worktree of the repository "${workTree}": ${result.complaint || why}`, { code: ref === "HEAD" ? "no_commit" : "no_base" });
}

async function carriedChanges(original: Checkout, { start, head, id, folder }: { readonly start: string; readonly head: string; readonly id: TaskId; readonly folder: string }) {
  if (start !== head) throw new AppError("usage", "Cannot carry changes to another commit than the current one: leave out the base, or the changes", { code: "contradiction" });
  const snapshot = await takeSnapshot(original, { message: `Changes that were not committed when agent ${id} began`, folder });
  return { ...snapshot, commit: snapshot.isClean ? head : snapshot.commit };
}

/** Directory, branch and ref are new: what stands there already is never taken over. */
async function takeName(original: Checkout, id: TaskId, folder: PinnedDirectory): Promise<{ readonly name: string; readonly branch: string }> {
  // A branch of that name leaves no room for branches below it.
  const prefix = (await isBranchFree(original, "agent")) ? "agent/" : "agent-";
  for (let count = 1; count <= NAMES_MAX; count++) {
    const name = count === 1 ? id : `${id}-${count}`;
    const branch = `${prefix}${name}`;
    if ((await isBranchFree(original, branch)) && (await isRefFree(original, rescueRef({ branch }))) && makeEmptyDirectory(folder, name)) return { name, branch };
  }
  throw new AppError("conflict", `Cannot make a worktree for task "${id}": ${NAMES_MAX} names in a row are taken`, { code: "names_taken" });
}

async function isBranchFree(original: Pick<Checkout, "git">, branch: string): Promise<boolean> {
  return await isRefFree(original, `refs/heads/${branch}`);
}

async function isRefFree({ git }: Pick<Checkout, "git">, ref: string): Promise<boolean> {
  return (await git(["show-ref", "--verify", "--quiet", ref])).exitCode !== 0;
}

function makeEmptyDirectory(folder: PinnedDirectory, name: string): boolean {
  try {
    mkdirSync(folder.entry(name), { mode: 0o700 });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return false;
    throw storageFailure(`Cannot make a directory in "${folder.path}"`, error);
  }
}

/** The directory is there, empty and ours. Where anything fails, it goes again with all that git has made. */
async function checkOut(planned: Worktree, original: Checkout, folder: PinnedDirectory, world: WorktreeWorld): Promise<Worktree> {
  let hasBranch = false;
  try {
    // From here on whoever looks after a crash knows what it is.
    writeWorktreeRecord(folder, { worktree: planned });
    await run(original, ["update-ref", `refs/heads/${planned.branch}`, planned.base, NO_COMMIT.padEnd(planned.base.length, "0")]);
    hasBranch = true;
    await run(original, ["worktree", "add", "--quiet", "--no-checkout", planned.path, planned.branch]);
    const worktree = { ...planned, gitDirectory: linkedGitDirectory(planned) };
    // Where somebody else asks git at the same time, what is only half there is in their way for as short as possible.
    await run(await openCheckout({ ...worktree, workTree: worktree.path }, world), ["reset", "--quiet", "--hard"]);
    await refuseFilteredFiles(worktree, world);
    makeInside(worktree);
    writeWorktreeRecord(folder, { worktree });
    return worktree;
  } catch (error) {
    await undo(planned, { original, folder, hasBranch }, world);
    if (error instanceof AppError) throw error;
    throw new AppError("failed", `Cannot make the worktree "${planned.path}": ${errorMessage(error)}`, { code: systemErrorCode(error) ?? "worktree", cause: error });
  }
}

/** What the reference of a branch that must not exist is compared with. */
const NO_COMMIT = "0";

async function run({ git }: Checkout, args: readonly string[]): Promise<void> {
  gitText(await retryWhileLocked(() => git(args, { timeoutMs: CHECKOUT_TIMEOUT_MS })), "Cannot make a worktree");
}

async function undo(
  { id, path, branch, base }: Worktree,
  { original, folder, hasBranch }: { readonly original: Checkout; readonly folder: PinnedDirectory; readonly hasBranch: boolean },
  { signal: _stopped, ...world }: WorktreeWorld,
): Promise<void> {
  const { git } = await openCheckout(original, world);
  await quietly(() => git(["worktree", "remove", "--force", "--force", path]));
  await quietly(() => rmSync(path, { recursive: true, force: true }));
  // Without its directory it is no more than an entry that names it.
  await quietly(() => git(["worktree", "remove", "--force", "--force", path]));
  if (hasBranch) await quietly(() => retryWhileLocked(() => git(["update-ref", "-d", `refs/heads/${branch}`, base])));
  await quietly(() => rmdirSync(path));
  await quietly(() => rmSync(folder.entry(`${id}.json`), { force: true }));
}

async function quietly(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // What failed first is what is told; nobody has worked here yet.
  }
}

/** The directory may not be tracked: then git has not made it. */
function makeInside({ path, cwdInside }: Worktree): void {
  if (resolveRealPath(cwdInside) !== cwdInside || !isInside(cwdInside, path)) {
    throw new AppError("failed", `Cannot work in "${cwdInside}": a link leads out of the worktree`, { code: "link" });
  }
  mkdirSync(cwdInside, { recursive: true });
}

async function submoduleWarnings({ git }: Checkout): Promise<string[]> {
  const files = gitText(await git(["ls-files", "--stage", "-z"]), "Cannot list the files");
  const submodules = entriesOf(files).flatMap((entry) => (entry.startsWith("160000 ") ? [entry.slice(entry.indexOf("\t") + 1)] : []));
  return submodules.length === 0 ? [] : [`Submodules are empty in the worktree: ${submodules.slice(0, 5).join(", ")}${submodules.length > 5 ? " …" : ""}`];
}
