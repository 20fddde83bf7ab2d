import { realpathSync } from "node:fs";
import { AppError } from "../../core/errors.ts";
import { isInside } from "../../lib/is-inside.ts";
import { runGit, type GitCall, type GitResult, type GitWorld } from "../../platform/git.ts";
import type { GitPlace } from "../../platform/git-environment.ts";
import { retryWhileTorn } from "./retry-while-locked.ts";
import { readRepositoryPrograms, type RepositoryPrograms } from "./repository-programs.ts";

/** A checkout, with git bound to it: nothing is looked for any more. */
export interface Checkout extends GitPlace {
  readonly workTree: string;
  readonly commonDirectory: string;
  readonly programs: RepositoryPrograms;
  /** Runs git in the checkout. Rejects as `runGit`. */
  readonly git: (args: readonly string[], options?: GitOptions) => Promise<GitResult>;
}

export type GitOptions = Omit<GitCall, "args" | "cwd" | "place" | "config"> & { readonly indexFile?: string };

/**
 * Finds the innermost repository whose checkout a directory belongs to. Nothing of it is run.
 *
 * Rejects with an `AppError` that says why there is none: `no_repository`, `no_checkout` …
 */
export async function findCheckout(cwd: string, world: GitWorld): Promise<Checkout> {
  const ask = async (...args: string[]) => await runGit({ args: ["rev-parse", ...args], cwd }, world);
  const top = await ask("--show-toplevel");
  if (top.exitCode !== 0) throw noCheckout(cwd, top.complaint);
  const workTree = lineOf(top);
  // A repository may name any directory as the one that it belongs to.
  if (workTree === "" || !isInside(realpathSync(cwd), realpathSync(workTree))) throw noCheckout(cwd, `its repository says that its files are in "${workTree}"`);
  const [own, common] = await Promise.all([ask("--absolute-git-dir"), ask("--path-format=absolute", "--git-common-dir")]);
  if (own.exitCode !== 0 || common.exitCode !== 0) throw noCheckout(cwd, own.complaint || common.complaint);
  return await openCheckout({ workTree: realpathSync(workTree), gitDirectory: realpathSync(lineOf(own)), commonDirectory: realpathSync(lineOf(common)) }, world);
}

/** Binds git to a checkout that is known. Reads the repository's configuration, which may have changed since. */
export async function openCheckout(
  place: { readonly workTree: string; readonly gitDirectory: string; readonly commonDirectory: string },
  world: GitWorld,
): Promise<Checkout> {
  const { workTree, gitDirectory } = place;
  const programs = await readRepositoryPrograms(place, world);
  return {
    ...place,
    programs,
    git: async (args, { indexFile, ...options } = {}) =>
      await retryWhileTorn(() => {
        const bound = { gitDirectory, workTree, ...(indexFile === undefined ? {} : { indexFile }) };
        return runGit({ ...options, args, cwd: workTree, config: programs.config, place: bound }, world);
      }),
  };
}

/** Git bound to a repository without any of its checkouts. */
export async function openRepository(commonDirectory: string, world: GitWorld): Promise<Pick<Checkout, "git">> {
  const place = { gitDirectory: commonDirectory };
  const { config } = await readRepositoryPrograms(place, world);
  return { git: async (args, { indexFile: _none, ...options } = {}) => await retryWhileTorn(() => runGit({ ...options, args, cwd: commonDirectory, config, place }, world)) };
}

/** What git printed, where it succeeded. Throws an `AppError` with what it complained about otherwise. */
export function gitText(result: GitResult, action: string): string {
  if (result.exitCode !== 0) throw new AppError("failed", `${action}: ${result.complaint || `git exited with ${result.exitCode}`}`, { code: "git_failed" });
  return result.stdout.toString();
}

/** The one line that git printed. Only its own line feed is no part of it. */
export function lineOf({ stdout }: GitResult): string {
  return stdout.toString().replace(/\n$/, "");
}

/** The entries of an output with `-z`. */
export function entriesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\0$/, "").split("\0");
}

/** The lines of an output. */
export function entriesOfLines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}

function noCheckout(cwd: string, complaint: string): AppError {
  const [code, why] = /not a git repository/.test(complaint)
    ? ["no_repository", "it is not in a git repository"]
    : /bare repository|must be run in a work tree/.test(complaint)
      ? ["no_checkout", "its repository is bare and has no checkout, or it is inside the repository's own folder"]
      : ["no_checkout", complaint];
  return new AppError("failed", `Cannot make a worktree for "${cwd}": ${why}`, { code });
}
