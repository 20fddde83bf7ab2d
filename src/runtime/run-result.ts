import { exitFor, statusFor } from "../core/exit-code.ts";
import type { RunEvent, RunEventBody } from "../core/stream-event.ts";
import type { TaskState } from "../core/task-state.ts";
import type { Usage } from "../core/usage.ts";
import type { RunOutcome } from "./run-outcome.ts";

export type RunResultBody = Extract<RunEventBody, { type: "run.result" }>;
export type RunResult = Extract<RunEvent, { type: "run.result" }>;

/** The one last event of a run. Status and exit code come from the same reason, so they cannot disagree. */
export function runResultBody(params: {
  readonly root: TaskState;
  readonly outcome: RunOutcome;
  readonly children: readonly TaskState[];
  readonly durationMs: number;
  readonly warnings: readonly string[];
}): RunResultBody {
  const { root, outcome, children } = params;
  return {
    type: "run.result",
    task_id: root.id,
    parent_task_id: root.parentTaskId ?? null,
    session_id: root.sessionId,
    status: statusFor(outcome.reason),
    exit: exitFor(outcome.reason),
    result: outcome.text,
    structured_output: null,
    num_turns: outcome.turnCount,
    duration_ms: Math.round(params.durationMs),
    api_duration_ms: Math.round(outcome.apiDurationMs),
    usage: {
      ...wireUsage(outcome.usage),
      by_model: Object.fromEntries(Object.entries(outcome.usageByModel).map(([model, usage]) => [model, wireUsage(usage)])),
    },
    cost: { usd: outcome.costUsd, estimated: outcome.isCostEstimated },
    permission_denials: outcome.denials.map((denial) => ({
      tool: denial.tool,
      input_digest: denial.inputDigest,
      rule: denial.rule,
      layer: denial.layer,
      reason: denial.reason,
    })),
    children: children.map((child) => ({
      task_id: child.id,
      type: child.type,
      status: child.status,
      exit_code: childExitCode(child),
      required: false,
      output_file: child.outputFile,
    })),
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

/** A shell's own code where it has one; otherwise the code of its ending. */
function childExitCode(child: TaskState): number | null {
  const own = child.detail["exitCode"];
  return typeof own === "number" ? own : (child.exit?.code ?? null);
}

export function wireUsage(usage: Usage) {
  return { input: usage.input, output: usage.output, cache_read: usage.cacheRead, cache_write: usage.cacheWrite };
}
