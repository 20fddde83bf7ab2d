import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { AppError, errorMessage } from "../../core/errors.ts";
import type { Worktree } from "../../core/worktree.ts";
import { isInside } from "../../lib/is-inside.ts";
import { readTextFile } from "../../platform/read-text-file.ts";
import { processesIn } from "../../platform/processes-in.ts";
import { linkedGitDirectory, worktreeHome } from "./linked-git-directory.ts";
import { entriesOf, gitText, openCheckout, type Checkout } from "./repository.ts";
import type { WorktreeWorld } from "./worktree.ts";

/** What a worktree holds beside what it began with. */
export interface WorktreeCondition {
  /** Git bound to it; undefined where it cannot be looked at as a whole. */
  readonly checkout: Checkout | undefined;
  /** What differs from the base, in words: `2 commits`, `untracked files` … */
  readonly changes: readonly string[];
  /** What may be in it beside that, in words: a snapshot and what was checked out before hold it. */
  readonly doubts: readonly string[];
  /** What no snapshot holds, or what could not be looked at, in words. */
  readonly secrets: readonly string[];
  /** What has nothing to do with its content and keeps it from being removed, in words. */
  readonly obstacles: readonly string[];
  /** Files that git is told to ignore: no doubt for whoever throws the worktree away. */
  readonly hasIgnoredFiles: boolean;
  /** Where it is, and the branch that is checked out there, as far as that is known. */
  readonly path: string;
  readonly branch: string | undefined;
}

/** Looks at a worktree. Changes nothing in it; what cannot be looked at is a doubt. */
export async function worktreeCondition(worktree: Worktree, world: WorktreeWorld): Promise<WorktreeCondition> {
  const nothing = { checkout: undefined, changes: [], doubts: [], secrets: [], obstacles: [], hasIgnoredFiles: false, path: worktree.path, branch: worktree.branch };
  if (lstatSync(worktree.path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    const home = worktree.gitDirectory === "" ? undefined : worktreeHome(worktree.gitDirectory);
    const isElsewhere = home !== undefined && home !== worktree.path && existsSync(home);
    return isElsewhere ? { ...nothing, path: home, secrets: [`it was moved to "${home}"`] } : { ...nothing, doubts: ["its directory is gone"] };
  }
  try {
    const gitDirectory = linkedGitDirectory(worktree);
    const checkout = await openCheckout({ workTree: worktree.path, gitDirectory, commonDirectory: worktree.commonDirectory }, world);
    const [status, hidden] = await Promise.all([readStatus(checkout, worktree), hiddenContent(checkout)]);
    return {
      checkout,
      path: worktree.path,
      branch: status.branch,
      changes: status.changes,
      doubts: [...status.doubts, ...wordsFor(UNFINISHED, gitDirectory), ...leftCommits(gitDirectory, [worktree.base, status.head ?? ""])],
      secrets: [...hidden, ...ownContent(gitDirectory)],
      obstacles: [...wordsFor(LOCKS, gitDirectory), ...processesAtWork(worktree.path)],
      hasIgnoredFiles: status.hasIgnoredFiles,
    };
  } catch (error) {
    return { ...nothing, secrets: [error instanceof AppError ? error.message : `it cannot be looked at: ${errorMessage(error)}`] };
  }
}

async function readStatus({ git }: Checkout, { base, branch }: Worktree) {
  const args = ["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=normal", "--ignored=traditional", "--ignore-submodules=dirty", "--no-renames"];
  const entries = entriesOf(gitText(await git(args), "Git cannot tell its status"));
  const header = (name: string) => entries.find((entry) => entry.startsWith(`# branch.${name} `))?.slice(`# branch.${name} `.length);
  const [head, oid] = [header("head"), header("oid")];
  const count = oid === base ? "0" : gitText(await git(["rev-list", "--count", `${base}..HEAD`]), "Cannot count its commits").trim();
  const commits = Number(count);
  const states = entries.flatMap((entry) => (/^[12u] /.test(entry) ? [entry.slice(2, 4)] : []));
  const has = (isSo: (state: string) => boolean) => states.some(isSo);
  return {
    head: oid,
    branch: head === "(detached)" ? undefined : head,
    changes: [
      ...(oid === base ? [] : [commits === 0 ? "another commit" : `${commits} commit${commits === 1 ? "" : "s"}`]),
      ...(has((state) => state[0] !== ".") ? ["staged changes"] : []),
      ...(has((state) => state[1] !== ".") ? ["changes that are not staged"] : []),
      ...(entries.some((entry) => entry.startsWith("? ")) ? ["untracked files"] : []),
    ],
    doubts: head === branch ? [] : [head === "(detached)" ? "no branch is checked out in it" : `the branch "${head ?? "none"}" is checked out in it`],
    hasIgnoredFiles: entries.some((entry) => entry.startsWith("! ")),
  };
}

/** What a status does not tell: files that git was told not to look at, and what is in submodules. */
async function hiddenContent({ git, workTree }: Checkout): Promise<string[]> {
  const files = entriesOf(gitText(await git(["ls-files", "-v", "--stage", "-z"]), "Cannot list its files"));
  // A tag, mode, object and stage, then a tab and the path; lower case is a file that is assumed to be unchanged.
  const parsed = files.map((entry) => ({ tag: entry[0] ?? "", mode: entry.slice(2, 8), path: join(workTree, entry.slice(entry.indexOf("\t") + 1)) }));
  return [
    ...(parsed.some(({ tag }) => tag !== tag.toUpperCase()) ? ["git was told not to look at some of its files"] : []),
    ...(parsed.some(({ tag, path }) => tag.toUpperCase() === "S" && isThere(path)) ? ["files stand in it that git was told to leave out"] : []),
    ...(parsed.some(({ mode, path }) => mode === "160000" && hasEntries(path)) ? ["a submodule in it has content"] : []),
  ];
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function hasEntries(path: string): boolean {
  try {
    return readdirSync(path).length > 0;
  } catch {
    // Missing, or a file: then the status tells.
    return existsSync(path);
  }
}

const UNFINISHED: Readonly<Record<string, string>> = {
  MERGE_HEAD: "a merge is going on in it",
  "rebase-merge": "a rebase is going on in it",
  "rebase-apply": "a rebase is going on in it",
  CHERRY_PICK_HEAD: "a cherry-pick is going on in it",
  REVERT_HEAD: "a revert is going on in it",
  sequencer: "a cherry-pick or revert is going on in it",
  BISECT_LOG: "a bisection is going on in it",
};

const LOCKS: Readonly<Record<string, string>> = {
  locked: "it is locked",
  "index.lock": "its index is locked",
  "HEAD.lock": "its HEAD is locked",
};

function wordsFor(names: Readonly<Record<string, string>>, gitDirectory: string): string[] {
  return [...new Set(Object.entries(names).flatMap(([name, words]) => (existsSync(join(gitDirectory, name)) ? [words] : [])))];
}

/** What git keeps for this worktree alone. */
function ownContent(gitDirectory: string): string[] {
  return [
    ...(hasFiles(join(gitDirectory, "modules")) ? ["a submodule in it was filled"] : []),
    ...(hasFiles(join(gitDirectory, "refs")) ? ["it has refs of its own"] : []),
  ];
}

function hasFiles(directory: string): boolean {
  if (!existsSync(directory)) return false;
  return readdirSync(directory, { withFileTypes: true, recursive: true }).some((entry) => !entry.isDirectory());
}

const LEFT_COMMITS = "other commits were checked out in it";
const REFLOG_BYTES_MAX = 16_777_216;

/** The list of what was checked out goes with the worktree, and may be all that leads to a commit. */
function leftCommits(gitDirectory: string, known: readonly string[]): string[] {
  const path = join(gitDirectory, "logs", "HEAD");
  if (!existsSync(path)) return [];
  const log = readTextFile(path, { bytesMax: REFLOG_BYTES_MAX });
  const commits = (log?.text ?? "").split("\n").map((line) => line.split(" ", 2)[1]);
  const others = commits.filter((commit) => commit !== undefined && !known.includes(commit) && !/^0*$/.test(commit));
  return others.length > 0 || log === undefined || log.isCut ? [LEFT_COMMITS] : [];
}

function processesAtWork(path: string): string[] {
  const pids = processesIn((directory) => isInside(directory, path));
  return pids.length === 0 ? [] : [`processes work in it: ${pids.slice(0, 5).join(", ")}`];
}
