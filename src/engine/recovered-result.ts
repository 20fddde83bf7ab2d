import { exitFor, statusFor } from "../core/exit-code.ts";
import type { RunEventBody } from "../core/stream-event.ts";
import type { TaskState } from "../core/task-state.ts";
import { childResults } from "./child-result.ts";
import { worktreeResult } from "./worktree-result.ts";

/**
 * The last event of a run whose owner could not write it, made from the record. What only the owner knew, tokens and
 * refused calls, is empty; `recovered` says so.
 *
 * @param params.tasks all tasks of the run, the root among them
 */
export function recoveredResult({ root, tasks }: { readonly root: TaskState; readonly tasks: readonly TaskState[] }): RunEventBody {
  const exit = root.exit ?? exitFor("owner_lost");
  const { result, isStructured, turnCount, costUsd } = root.detail;
  const worktree = worktreeResult(root.detail);
  return {
    task_id: root.id,
    parent_task_id: root.parentTaskId ?? null,
    type: "run.result",
    session_id: root.sessionId,
    status: statusFor(exit.reason),
    exit,
    result: typeof result === "string" ? result : "",
    structured_output: isStructured === true && typeof result === "string" ? JSON.parse(result) : null,
    num_turns: typeof turnCount === "number" ? turnCount : 0,
    duration_ms: Math.max(0, (root.endTime ?? root.startTime) - root.startTime),
    api_duration_ms: 0,
    usage: { input: 0, output: 0, cache_read: 0, cache_write: 0, by_model: {} },
    cost: { usd: typeof costUsd === "number" ? costUsd : null, estimated: false, by_model: {} },
    permission_denials: [],
    children: childResults(root.id, tasks),
    ...(worktree === undefined ? {} : { worktree }),
    warnings: [],
    ...(root.error === undefined ? {} : { error: { code: exit.reason, message: root.error, retryable: false, request_id: null } }),
    recovered: true,
  };
}
