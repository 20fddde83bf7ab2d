import { BUILD_INFO } from "../core/build-info.ts";
import type { RunEventBody } from "../core/stream-event.ts";
import { TOOL_NAMES } from "../tools/tool-names.ts";
import type { RunRequest } from "./run-request.ts";

/** The first event of a run: what runs, where, and within which limits. */
export function runStarted(taskId: string, sessionId: string, request: RunRequest): RunEventBody {
  const { work } = request;
  return {
    type: "run.started",
    task_id: taskId,
    parent_task_id: null,
    version: BUILD_INFO.version,
    flags: { ...BUILD_INFO.flags },
    session_id: sessionId,
    cwd: request.cwd,
    model: work.type === "agent" ? work.model : null,
    tools: work.type === "agent" ? [...TOOL_NAMES] : [],
    permission_mode: work.type === "agent" ? work.permissionMode : "default",
    limits: {
      max_turns: work.type === "agent" ? work.turnsMax : null,
      timeout_ms: request.timeoutMs ?? null,
      output_quota_bytes: request.outputBytesMax,
      run_output_quota_bytes: request.runOutputBytesMax,
    },
  };
}
