import { gitText } from "./repository.ts";
import type { WorktreeWorld } from "./worktree.ts";
import { worktreeContent } from "./worktree-content.ts";
import type { WorktreeRecord } from "./worktree-record.ts";

/** How a diff is shown. */
export type DiffForm = "patch" | "stat" | "names";

const FORMS: Readonly<Record<DiffForm, readonly string[]>> = {
  patch: ["-p", "-M"],
  stat: ["--stat=100", "-M"],
  names: ["--name-status", "--no-renames"],
};

/**
 * All that differs between a worktree and what it began with: commits, staged and other changes, and new files that are
 * not ignored. As git prints it; empty where nothing does. Rejects as `worktreeContent`.
 */
export async function diffWorktree(record: WorktreeRecord, form: DiffForm, world: WorktreeWorld): Promise<Uint8Array> {
  // What was removed because nothing had changed differs in nothing.
  if (record.outcome?.kept === false && !record.outcome.changed) return new Uint8Array();
  const { commit, git } = await worktreeContent(record, world);
  const result = await git(["diff-tree", "-r", "--no-ext-diff", "--no-textconv", ...FORMS[form], record.worktree.base, commit]);
  gitText(result, "Cannot compare the worktree with its base");
  return result.stdout;
}
