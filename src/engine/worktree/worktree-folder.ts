import { realpathSync } from "node:fs";
import { openPinnedDirectory, type PinnedDirectory } from "../../platform/pinned-directory.ts";

/** The folder in the state folder that holds all worktrees, each with its record beside it. */
export const WORKTREE_FOLDER = "worktrees";

/**
 * Lends the folder of worktrees, which only we can use, to `use`, and closes it behind it.
 *
 * Throws an `AppError` of reason `storage` where it cannot be used.
 */
export async function withWorktreeFolder<Value>(
  statePath: string,
  options: { readonly create: boolean },
  use: (folder: PinnedDirectory, realPath: string) => Promise<Value>,
): Promise<Value> {
  const state = openPinnedDirectory(statePath, { create: false });
  try {
    const folder = state.subdirectory(WORKTREE_FOLDER, options);
    try {
      return await use(folder, realpathSync(folder.path));
    } finally {
      folder.close();
    }
  } finally {
    state.close();
  }
}
