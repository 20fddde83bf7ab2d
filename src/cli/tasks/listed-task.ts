import type { TaskSummaryRow } from "../../store/ledger-rows.ts";
import type { ListedWorktree } from "./listed-worktrees.ts";
import { taskRecord } from "./task-record.ts";

/**
 * An element of `ps --json`: `taskRecord`, then `turnCount tokenCount costUsd lastActivity`, null for all but agents, and
 * `worktree{path,branch,kept}` of agents in isolation.
 */
export function listedTask(task: TaskSummaryRow, worktree: ListedWorktree | undefined) {
  return {
    ...taskRecord(task),
    turnCount: task.turnCount ?? null,
    tokenCount: task.tokenCount ?? null,
    costUsd: task.costUsd ?? null,
    lastActivity: task.lastActivity ?? null,
    worktree: worktree ?? null,
  };
}
