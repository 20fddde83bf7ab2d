import { randomUUID } from "node:crypto";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { entriesOf, gitText, lineOf, type Checkout } from "./repository.ts";

/** The content of a checkout as a commit. */
export interface Snapshot {
  readonly commit: string;
  readonly tree: string;
  /** Whether the checkout had no change; then the commit is its HEAD. */
  readonly isClean: boolean;
  /** Repositories inside that git does not know of. Their content is not in the commit. */
  readonly nestedRepositories: readonly string[];
}

/**
 * Puts all that a checkout holds, but ignored files, into a commit on top of its HEAD. Neither its index, nor its files,
 * nor any ref is touched: the work is done on a copy of the index. Where what is staged is something else again, that is
 * a second parent.
 *
 * Rejects with an `AppError` where a file cannot be read or the repository cannot be written.
 *
 * @param options.message of the commit
 * @param options.folder where the copy of the index may stand, a real path
 */
export async function takeSnapshot(checkout: Checkout, options: { readonly message: string; readonly folder: string }): Promise<Snapshot> {
  const head = gitText(await checkout.git(["rev-parse", "--verify", "HEAD^{commit}"]), "Cannot find the current commit").trim();
  const indexFile = join(options.folder, `.${randomUUID()}.index`);
  try {
    await copyIndex(checkout, indexFile, head);
    const staged = await checkout.git(["write-tree"], { indexFile });
    const nestedRepositories = await addEverything(checkout, indexFile);
    const tree = gitText(await checkout.git(["write-tree"], { indexFile }), "Cannot keep what is in the checkout").trim();
    const headTree = gitText(await checkout.git(["rev-parse", `${head}^{tree}`]), "Cannot read the current commit").trim();
    const stagedTree = staged.exitCode === 0 ? lineOf(staged) : headTree;
    const isStagedOnly = stagedTree !== headTree && stagedTree !== tree;
    if (tree === headTree && !isStagedOnly) return { commit: head, tree, isClean: true, nestedRepositories };
    const parents = isStagedOnly ? [head, await commitTree(checkout, stagedTree, [head], "What was staged")] : [head];
    return { commit: await commitTree(checkout, tree, parents, options.message), tree, isClean: false, nestedRepositories };
  } finally {
    for (const path of [indexFile, `${indexFile}.lock`]) rmSync(path, { force: true });
  }
}

/** A commit in our own name. */
export async function commitTree({ git }: Pick<Checkout, "git">, tree: string, parents: readonly string[], message: string): Promise<string> {
  const args = ["commit-tree", tree, ...parents.flatMap((parent) => ["-p", parent]), "-m", message];
  return gitText(await git(args, { identity: "agent" }), "Cannot make a commit").trim();
}

async function copyIndex({ gitDirectory, git }: Checkout, indexFile: string, head: string): Promise<void> {
  const index = join(gitDirectory, "index");
  if (existsSync(index)) copyFileSync(index, indexFile);
  else gitText(await git(["read-tree", head], { indexFile }), "Cannot read the current commit");
}

/** As `git add -A` would, but that it looks into no submodule and takes no repository inside for one. */
async function addEverything({ git }: Checkout, indexFile: string): Promise<string[]> {
  const changed = gitText(await git(["diff-files", "--name-only", "-z", "--ignore-submodules=dirty"], { indexFile }), "Cannot look for changes");
  const untracked = gitText(await git(["ls-files", "--others", "--exclude-standard", "-z"], { indexFile }), "Cannot look for new files");
  // A name that ends with a slash is a repository.
  const nested = entriesOf(untracked).filter((path) => path.endsWith("/"));
  const paths = [...new Set([...entriesOf(changed), ...entriesOf(untracked).filter((path) => !path.endsWith("/"))])];
  if (paths.length > 0) {
    const input = paths.map((path) => `${path}\0`).join("");
    gitText(await git(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], { indexFile, input }), "Cannot keep the changes");
  }
  return nested;
}
