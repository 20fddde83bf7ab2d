import type { RunResult } from "../../runtime/run-result.ts";

/** What a person must know about the worktree of a run that is over, and how to go on with it; nothing where it is gone. */
export function describeWorktree({ task_id: id, worktree }: Pick<RunResult, "task_id" | "worktree">): string[] {
  if (worktree === undefined || !worktree.kept) return [];
  if (!worktree.changed) return [`The worktree "${worktree.path}" stays: ${worktree.reason}; "agent discard ${id}" removes it`];
  return [
    `What it changed is in the worktree "${worktree.path}" on branch "${worktree.branch}" (${worktree.reason})`,
    `Look at it: agent diff ${id}; take it over: agent apply ${id}; throw it away: agent discard ${id}`,
  ];
}
