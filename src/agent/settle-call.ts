import type { AgentContext } from "../core/agent.ts";
import type { JudgedCall } from "./prepare-tool-call.ts";
import { refusedPlan } from "./refused-plan.ts";
import type { PreparedCall } from "./prepared-call.ts";

/** Has a person decide where nothing else does. Once the turn is stopped nobody is asked any more. */
export async function settleCall(
  { call, isConcurrencySafe, plan }: JudgedCall,
  { context, signal }: { readonly context: AgentContext; readonly signal: AbortSignal },
): Promise<PreparedCall> {
  if (plan.type !== "ask") return { call, isConcurrencySafe, plan };
  const { tool, input, access, verdict } = plan;
  if (context.askPermission === undefined || signal.aborted) return { call, isConcurrencySafe, plan: refusedPlan(call, verdict) };
  const answer = await context.askPermission({ tool, access, signal });
  if (answer.verdict.behavior !== "allow") return { call, isConcurrencySafe, plan: refusedPlan(call, answer.verdict) };
  const approval = answer.isFromUser ? { access, verdict: answer.verdict } : undefined;
  return {
    call,
    isConcurrencySafe,
    plan: { type: "run", tool, input, isReadOnly: tool.isReadOnly(access, context), ...(approval === undefined ? {} : { approval }) },
  };
}
