import { AppError } from "../../core/errors.ts";
import type { Worktree } from "../../core/worktree.ts";
import { entriesOf, gitText, openCheckout } from "./repository.ts";
import type { WorktreeWorld } from "./worktree.ts";

/**
 * Throws an `AppError` where files of a worktree go through a content filter that the repository's own configuration
 * names: it was not run, so they are not what they are in the original.
 */
export async function refuseFilteredFiles(worktree: Worktree, world: WorktreeWorld): Promise<void> {
  const checkout = await openCheckout({ ...worktree, workTree: worktree.path }, world);
  if (checkout.programs.filters.size === 0) return;
  const input = gitText(await checkout.git(["ls-files", "-z"]), "Cannot list the files");
  const attributes = entriesOf(gitText(await checkout.git(["check-attr", "-z", "--stdin", "filter"], { input }), "Cannot read the attributes"));
  for (let index = 0; index + 2 < attributes.length; index += 3) {
    const [path, , filter = ""] = attributes.slice(index, index + 3);
    if (!checkout.programs.filters.has(filter)) continue;
    throw new AppError(
      "failed",
      `Cannot make a worktree of the repository "${worktree.repositoryRoot}": "${path}" goes through the filter "${filter}", which is a program that the repository's own configuration names; ` +
        "move its settings to your own configuration (git config --global) to have it run",
      { code: "content_filter" },
    );
  }
}
