import type { TaskSummaryRow } from "../../store/ledger-rows.ts";
import { taskRecord } from "./task-record.ts";

/** An element of `ps --json`: `taskRecord`, then `turnCount tokenCount costUsd lastActivity`, null for all but agents. */
export function listedTask(task: TaskSummaryRow) {
  return {
    ...taskRecord(task),
    turnCount: task.turnCount ?? null,
    tokenCount: task.tokenCount ?? null,
    costUsd: task.costUsd ?? null,
    lastActivity: task.lastActivity ?? null,
  };
}
