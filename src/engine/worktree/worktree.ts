import type { Worktree } from "../../core/worktree.ts";
import type { GitWorld } from "../../platform/git.ts";

/** With what the functions on worktrees work. */
export interface WorktreeWorld extends GitWorld {
  /** The state folder. */
  readonly statePath: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The ref that keeps the content of a worktree. */
export function rescueRef(worktree: Pick<Worktree, "branch">): string {
  return `refs/agent/${worktree.branch.replace(/^agent[/-]/, "")}`;
}
