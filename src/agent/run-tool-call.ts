import type { AgentContext, AgentEvent, Tool, ToolOutput } from "../core/agent.ts";
import { errorMessage } from "../core/errors.ts";
import type { ToolResultBlock, ToolUseBlock } from "../core/message.ts";
import type { PermissionDenial, Verdict } from "../core/permission.ts";
import type { CallJournal } from "./call-journal.ts";
import { cutToBytes } from "../lib/cut-to-bytes.ts";

/** A call that has been looked at: what will become of it. */
export interface PreparedCall {
  readonly call: ToolUseBlock;
  readonly isConcurrencySafe: boolean;
  readonly plan:
    | { readonly type: "run"; readonly tool: Tool; readonly input: unknown; readonly isReadOnly: boolean }
    | { readonly type: "denied"; readonly verdict: Verdict; readonly denial: PermissionDenial }
    | { readonly type: "invalid"; readonly message: string };
}

interface CallParams {
  readonly context: AgentContext;
  readonly journal: CallJournal;
  readonly signal: AbortSignal;
}

/** Does one prepared call and makes its result. Throws only what the journal throws: all else becomes an error result. */
export async function* runToolCall(
  prepared: PreparedCall,
  params: CallParams,
): AsyncGenerator<AgentEvent, ToolResultBlock> {
  const { call, plan } = prepared;
  yield { type: "tool_started", call };
  const startedAt = performance.now();
  if (plan.type === "denied") yield { type: "permission_denied", call, verdict: plan.verdict, denial: plan.denial };
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
      return { content: `Permission denied: ${plan.verdict.reason}`, isError: true };
    case "run": {
      if (params.signal.aborted) return { content: "Not run: the turn was stopped before this call", isError: true };
      if (plan.isReadOnly) return await runTool(call, plan, params);
      await params.journal.begin(call);
      const output = await runTool(call, plan, params);
      await params.journal.end(call, output);
      return output;
    }
  }
}

async function runTool(
  call: ToolUseBlock,
  { tool, input }: { readonly tool: Tool; readonly input: unknown },
  { context, signal }: CallParams,
): Promise<ToolOutput> {
  try {
    return presentable(await tool.call(input, context, { toolUseId: call.id, signal }), tool.maxResultBytes);
  } catch (error) {
    return presentable({ content: errorMessage(error), isError: true }, tool.maxResultBytes);
  }
}

/** A result that the API accepts: not empty, well-formed, within the tool's limit. */
function presentable(output: ToolOutput, bytesMax: number): ToolOutput {
  const text = output.content.toWellFormed();
  return { ...output, content: text.trim() === "" ? "(no output)" : cutToBytes(text, bytesMax) };
}
