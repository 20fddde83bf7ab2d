import { createHash } from "node:crypto";
import type { AgentContext, Tool } from "../core/agent.ts";
import { errorMessage } from "../core/errors.ts";
import type { ToolUseBlock } from "../core/message.ts";
import { nearestName } from "../lib/nearest-name.ts";
import type { PreparedCall } from "./run-tool-call.ts";

/**
 * Looks at a call before anything of its reply runs: which tool, whether the input fits, whether it is permitted and
 * whether it may run beside others.
 */
export async function prepareToolCall(
  call: ToolUseBlock,
  params: { readonly tools: readonly Tool[]; readonly context: AgentContext },
): Promise<PreparedCall> {
  const tool = params.tools.find((candidate) => candidate.name === call.name);
  if (tool === undefined) return { call, isConcurrencySafe: false, plan: { type: "invalid", message: unknownTool(call.name, params.tools) } };
  const parsed = tool.inputSchema().safeParse(call.input);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "input"}: ${issue.message}`);
    return { call, isConcurrencySafe: false, plan: { type: "invalid", message: `Invalid input for ${tool.name}: ${problems.join("; ")}` } };
  }
  try {
    return await judge(call, tool, parsed.data, params.context);
  } catch (error) {
    return { call, isConcurrencySafe: false, plan: { type: "invalid", message: errorMessage(error) } };
  }
}

async function judge(call: ToolUseBlock, tool: Tool, input: unknown, context: AgentContext): Promise<PreparedCall> {
  const access = await tool.access(input, context);
  const verdict = context.checkPermission(tool, access);
  const isConcurrencySafe = tool.isConcurrencySafe(access, context);
  if (verdict.behavior === "allow") return { call, isConcurrencySafe, plan: { type: "run", tool, input, isReadOnly: tool.isReadOnly(access, context) } };
  return {
    call,
    isConcurrencySafe,
    plan: {
      type: "denied",
      verdict,
      denial: {
        tool: tool.name,
        toolUseId: call.id,
        inputDigest: createHash("sha256").update(JSON.stringify(call.input)).digest("hex"),
        rule: verdict.rule ?? null,
        layer: verdict.layer ?? null,
        reason: verdict.reason,
      },
    },
  };
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name);
  const nearest = nearestName(name, names);
  return `There is no tool "${name}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`} The tools are ${names.join(", ")}`;
}
