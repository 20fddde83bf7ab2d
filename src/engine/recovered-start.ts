import type { RunEventBody } from "../core/stream-event.ts";
import type { TaskState } from "../core/task-state.ts";
import type { RunRow } from "../store/ledger-rows.ts";

/** The first event of a run that died before it could write any, made from the record. `recovered` says so. */
export function recoveredStart(run: RunRow, root: TaskState): RunEventBody {
  const { model } = root.detail;
  return {
    type: "run.started",
    task_id: root.id,
    parent_task_id: root.parentTaskId ?? null,
    version: run.version,
    flags: {},
    session_id: run.sessionId,
    cwd: root.cwd,
    model: typeof model === "string" ? model : null,
    tools: [],
    permission_mode: "default",
    limits: {
      max_turns: null,
      timeout_ms: null,
      idle_timeout_ms: null,
      max_budget_usd: null,
      max_tokens: null,
      max_tool_calls: null,
      task_budget_tokens: null,
      wait_for_limit_ms: null,
      output_quota_bytes: null,
      run_output_quota_bytes: null,
    },
    recovered: true,
  };
}
