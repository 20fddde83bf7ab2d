import type { AgentContext, AgentEvent, ToolOutput } from "../core/agent.ts";
import type { ToolResultBlock } from "../core/message.ts";
import { AGENT_TOOL_NAME } from "../core/tools-for-agent.ts";
import type { CallJournal } from "./call-journal.ts";
import { callTool } from "./call-tool.ts";
import type { EarlyCalls } from "./early-calls.ts";
import type { PreparedCall } from "./prepared-call.ts";

interface CallParams {
  readonly context: AgentContext;
  readonly journal: CallJournal;
  readonly signal: AbortSignal;
  /** Calls that have begun already. */
  readonly early?: Pick<EarlyCalls, "outputOf">;
}

/** Does one prepared call and makes its result. Throws only what the journal throws: all else becomes an error result. */
export async function* runToolCall(
  prepared: PreparedCall,
  params: CallParams,
): AsyncGenerator<AgentEvent, ToolResultBlock> {
  const { call, plan } = prepared;
  yield { type: "tool_started", call };
  const startedAt = params.early?.outputOf(call.id)?.startedAt ?? performance.now();
  if (plan.type === "denied") yield { type: "permission_denied", call, verdict: plan.verdict, denial: plan.denial };
  if (plan.type === "run" && plan.approval !== undefined) yield { type: "permission_allowed", call, verdict: plan.approval.verdict };
  const output = await outcome(prepared, params);
  yield { type: "tool_completed", call, output, durationMs: performance.now() - startedAt };
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content: output.content,
    ...(output.isError === true ? { is_error: true } : {}),
  };
}

async function outcome(
  { call, plan }: PreparedCall,
  params: CallParams,
): Promise<ToolOutput> {
  switch (plan.type) {
    case "invalid":
      return { content: plan.message, isError: true };
    case "denied":
      return { content: `Permission denied: ${plan.verdict.reason}${startsAgents(params.context) ? ". Agents that you start may do no more than you" : ""}`, isError: true };
    case "run": {
      const early = plan.isReadOnly ? params.early?.outputOf(call.id) : undefined;
      if (early !== undefined) return await early.output;
      if (params.signal.aborted) return { content: "Not run: the turn was stopped before this call", isError: true };
      if (plan.isReadOnly) return await callTool(call, plan, params);
      await params.journal.begin(call);
      const output = await callTool(call, plan, params);
      await params.journal.end(call, output);
      return output;
    }
  }
}

/** Whoever is refused something might have somebody else try it. */
function startsAgents({ scene }: AgentContext): boolean {
  return scene?.().tools.some(({ name }) => name === AGENT_TOOL_NAME) === true;
}
