import { exitFor, statusFor } from "../core/exit-code.ts";
import type { RunEvent, RunEventBody } from "../core/stream-event.ts";
import type { TaskState } from "../core/task-state.ts";
import type { Usage } from "../core/usage.ts";
import { childResults } from "../engine/child-result.ts";
import { worktreeResult } from "../engine/worktree-result.ts";
import type { RunOutcome } from "./run-outcome.ts";

export type RunResultBody = Extract<RunEventBody, { type: "run.result" }>;
export type RunResult = Extract<RunEvent, { type: "run.result" }>;

/** The one last event of a run. Status and exit code come from the same reason, so they cannot disagree. */
export function runResultBody(params: {
  readonly root: TaskState;
  readonly outcome: RunOutcome;
  /** All tasks of the run. */
  readonly tasks: readonly TaskState[];
  readonly durationMs: number;
  readonly warnings: readonly string[];
}): RunResultBody {
  const { root, outcome } = params;
  return {
    type: "run.result",
    task_id: root.id,
    parent_task_id: root.parentTaskId ?? null,
    session_id: root.sessionId,
    status: statusFor(outcome.reason),
    exit: exitFor(outcome.reason),
    result: outcome.text,
    structured_output: outcome.structuredOutput?.value ?? null,
    num_turns: outcome.turnCount,
    duration_ms: Math.round(params.durationMs),
    api_duration_ms: Math.round(outcome.apiDurationMs),
    usage: {
      ...wireUsage(outcome.usage),
      by_model: Object.fromEntries(Object.entries(outcome.usageByModel).map(([model, usage]) => [model, wireUsage(usage)])),
    },
    cost: { usd: outcome.costUsd, estimated: outcome.isCostEstimated, by_model: { ...outcome.costUsdByModel } },
    permission_denials: outcome.denials.map((denial) => ({
      ...(denial.agentId === undefined ? {} : { task_id: denial.agentId }),
      tool: denial.tool,
      input_digest: denial.inputDigest,
      rule: denial.rule,
      layer: denial.layer,
      reason: denial.reason,
    })),
    children: childResults(root.id, params.tasks),
    ...worktreeField(root),
    warnings: [...params.warnings],
    ...(outcome.error === undefined
      ? {}
      : {
          error: {
            code: outcome.error.code,
            message: outcome.error.message,
            retryable: outcome.error.retryable,
            request_id: outcome.error.requestId,
          },
        }),
  };
}

function worktreeField({ detail }: TaskState): Pick<RunResultBody, "worktree"> {
  const worktree = worktreeResult(detail);
  return worktree === undefined ? {} : { worktree };
}

export function wireUsage(usage: Usage) {
  return { input: usage.input, output: usage.output, cache_read: usage.cacheRead, cache_write: usage.cacheWrite };
}
