import type { AgentContext, Tool, ToolOutput } from "../core/agent.ts";
import { errorMessage } from "../core/errors.ts";
import type { ToolUseBlock } from "../core/message.ts";
import { cutToBytes } from "../lib/cut-to-bytes.ts";
import { approvedContext, type CallApproval } from "./approved-context.ts";

/** Never rejects: whatever a tool throws becomes an error result. */
export async function callTool(
  call: ToolUseBlock,
  { tool, input, approval }: { readonly tool: Tool; readonly input: unknown; readonly approval?: CallApproval },
  params: { readonly context: AgentContext; readonly signal: AbortSignal },
): Promise<ToolOutput> {
  const context = approval === undefined ? params.context : approvedContext(params.context, tool, approval);
  try {
    return presentable(await tool.call(input, context, { toolUseId: call.id, signal: params.signal }), tool.maxResultBytes);
  } catch (error) {
    return presentable({ content: errorMessage(error), isError: true }, tool.maxResultBytes);
  }
}

/** A result that the API accepts: not empty, well-formed, within the tool's limit. */
function presentable(output: ToolOutput, bytesMax: number): ToolOutput {
  const text = output.content.toWellFormed();
  return { ...output, content: text.trim() === "" ? "(no output)" : cutToBytes(text, bytesMax) };
}
