import { BUILD_INFO } from "../core/build-info.ts";
import type { RunEventBody } from "../core/stream-event.ts";
import { SYNTHETIC_OUTPUT } from "../core/synthetic-output.ts";
import { TOOL_NAMES } from "../tools/tool-names.ts";
import type { AgentWork, RunRequest } from "./run-request.ts";
import { isToolOfRun } from "./tools-of-run.ts";

/** The first event of a run: what runs, where, and within which limits. */
export function runStarted(taskId: string, sessionId: string, request: RunRequest): RunEventBody {
  const { work } = request;
  const agent = work.type === "agent" ? work : undefined;
  return {
    type: "run.started",
    task_id: taskId,
    parent_task_id: agent?.resume?.subagent?.parentTaskId ?? null,
    version: BUILD_INFO.version,
    flags: { ...BUILD_INFO.flags },
    session_id: sessionId,
    cwd: request.cwd,
    model: work.type === "agent" ? work.model : null,
    tools: agent === undefined ? [] : toolsOf(agent),
    ...(work.type === "agent" && work.cassette?.mode === "replay" ? { replay: true } : {}),
    permission_mode: work.type === "agent" ? work.permissionMode : "default",
    limits: {
      max_turns: work.type === "agent" ? work.turnsMax : null,
      timeout_ms: request.timeoutMs ?? null,
      idle_timeout_ms: request.idleTimeoutMs ?? null,
      max_budget_usd: agent?.budget?.usd ?? null,
      max_tokens: agent?.budget?.tokens ?? null,
      max_tool_calls: agent?.budget?.toolCalls ?? null,
      task_budget_tokens: agent?.taskBudgetTokens ?? null,
      wait_for_limit_ms: agent?.waitMsMax ?? null,
      output_quota_bytes: request.outputBytesMax,
      run_output_quota_bytes: request.runOutputBytesMax,
    },
  };
}

function toolsOf(work: AgentWork): string[] {
  const names = (work.agent?.tools ?? TOOL_NAMES).filter((name) => isToolOfRun(name, work));
  return work.outputSchema === undefined ? names : [...names, SYNTHETIC_OUTPUT];
}
