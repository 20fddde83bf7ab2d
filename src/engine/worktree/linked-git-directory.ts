import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AppError } from "../../core/errors.ts";
import type { Worktree } from "../../core/worktree.ts";
import { readTextFile } from "../../platform/read-text-file.ts";

const POINTER_BYTES_MAX = 8_192;

/**
 * The folder that git keeps about a worktree, checked from both sides: the worktree's `.git` names it, it lies in the
 * repository's own folder of such, and it names the worktree. What a task may have put there instead is not believed.
 *
 * Throws an `AppError`.
 */
export function linkedGitDirectory({ path, commonDirectory }: Pick<Worktree, "path" | "commonDirectory">): string {
  const pointer = /^gitdir: (.+)\n$/.exec(pointerText(join(path, ".git")) ?? "")?.[1];
  if (pointer === undefined) throw broken(path, 'its ".git" is not the one that git has made');
  const gitDirectory = realPath(resolve(path, pointer));
  if (gitDirectory === undefined || dirname(gitDirectory) !== join(commonDirectory, "worktrees")) throw broken(path, 'its ".git" leads to another repository');
  const home = worktreeHome(gitDirectory);
  if (home !== path) throw broken(path, `git has it at "${home ?? "no place"}"`);
  const common = pointerText(join(gitDirectory, "commondir"))?.trim();
  if (common === undefined || realPath(resolve(gitDirectory, common)) !== commonDirectory) throw broken(path, "its repository is another one");
  return gitDirectory;
}

/** Where git says that the worktree of such a folder is; undefined where it does not say. */
export function worktreeHome(gitDirectory: string): string | undefined {
  const home = pointerText(join(gitDirectory, "gitdir"))?.replace(/\n$/, "");
  if (home === undefined || home === "") return undefined;
  const directory = dirname(resolve(gitDirectory, home));
  return realPath(directory) ?? directory;
}

function pointerText(path: string): string | undefined {
  try {
    return lstatSync(path).isFile() ? readTextFile(path, { bytesMax: POINTER_BYTES_MAX })?.text : undefined;
  } catch {
    return undefined;
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function broken(path: string, why: string): AppError {
  return new AppError("failed", `Cannot use the worktree "${path}": ${why}`, { code: "broken_worktree" });
}
