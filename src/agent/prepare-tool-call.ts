import type { AgentContext, Tool } from "../core/agent.ts";
import { errorMessage } from "../core/errors.ts";
import type { ToolUseBlock } from "../core/message.ts";
import type { ToolAccess, Verdict } from "../core/permission.ts";
import { nearestName } from "../lib/nearest-name.ts";
import { resolveRealPath } from "../platform/resolve-real-path.ts";
import { refusedPlan } from "./refused-plan.ts";
import type { PreparedCall } from "./prepared-call.ts";

/** A call that was looked at; whether it runs may still depend on a person. */
export interface JudgedCall {
  readonly call: ToolUseBlock;
  readonly isConcurrencySafe: boolean;
  readonly plan: PreparedCall["plan"] | OpenPlan;
}

/** Nothing allows the call and nothing forbids it. */
interface OpenPlan {
  readonly type: "ask";
  readonly tool: Tool;
  readonly input: unknown;
  /** A path in it is the real one: what is asked about must be what is then touched. */
  readonly access: ToolAccess;
  readonly verdict: Verdict;
}

/**
 * Looks at a call before anything of its reply runs: which tool, whether the input fits, whether it is permitted and
 * whether it may run beside others. Asks nobody.
 */
export async function prepareToolCall(
  call: ToolUseBlock,
  params: { readonly tools: readonly Tool[]; readonly context: AgentContext },
): Promise<JudgedCall> {
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

async function judge(call: ToolUseBlock, tool: Tool, input: unknown, context: AgentContext): Promise<JudgedCall> {
  const access = await tool.access(input, context);
  const verdict = context.checkPermission(tool, access);
  return { call, isConcurrencySafe: tool.isConcurrencySafe(access, context), plan: planFor(verdict) };

  function planFor({ behavior }: Verdict): JudgedCall["plan"] {
    if (behavior === "allow") return { type: "run", tool, input, isReadOnly: tool.isReadOnly(access, context) };
    if (behavior === "ask" && context.askPermission !== undefined) return { type: "ask", tool, input, access: withRealPath(access), verdict };
    return refusedPlan(call, verdict);
  }
}

function withRealPath(access: ToolAccess): ToolAccess {
  return access.kind === "read" || access.kind === "write" ? { ...access, path: resolveRealPath(access.path) } : access;
}

function unknownTool(name: string, tools: readonly Tool[]): string {
  const names = tools.map((tool) => tool.name);
  const nearest = nearestName(name, names);
  return `There is no tool "${name}"${nearest === undefined ? "." : `; did you mean "${nearest}"?`} The tools are ${names.join(", ")}`;
}
