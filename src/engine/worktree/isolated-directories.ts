import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { Worktree } from "../../core/worktree.ts";
import { isInside } from "../../lib/is-inside.ts";

/**
 * The working directories of an agent that works in a worktree: added ones in the original checkout become those in the
 * worktree, others stay what they are. Throws an `AppError` of reason `usage` for one that the original checkout is in.
 *
 * @param directories those of whoever asked for the worktree, the working directory first
 */
export function isolatedDirectories(directories: readonly string[], { repositoryRoot, path, cwdInside }: Worktree): string[] {
  const added = directories.slice(1).flatMap((directory) => {
    if (!isInside(directory, repositoryRoot) && isInside(repositoryRoot, directory)) {
      throw new AppError("usage", `Cannot add the directory "${directory}" to isolated work: the original checkout "${repositoryRoot}" is in it`, { code: "contradiction" });
    }
    if (!isInside(directory, repositoryRoot)) return [directory];
    const inside = join(path, relative(repositoryRoot, directory));
    return existsSync(inside) ? [inside] : [];
  });
  return [cwdInside, ...added];
}
