import type { AgentContext, AgentEvent, Tool } from "../core/agent.ts";
import type { ToolResultBlock, ToolUseBlock, UserMessage } from "../core/message.ts";
import type { CallJournal } from "./call-journal.ts";
import type { EarlyCalls } from "./early-calls.ts";
import { mergeGenerators } from "../lib/merge-generators.ts";
import type { PreparedCall } from "./prepared-call.ts";
import { runToolCall } from "./run-tool-call.ts";
import { prepareToolCall, type JudgedCall } from "./prepare-tool-call.ts";
import { settleCall } from "./settle-call.ts";

/** How many calls of one reply run at the same time, beside those that are limited elsewhere. */
export const CONCURRENT_CALLS_MAX = 16;

export interface RunCallsParams {
  readonly tools: readonly Tool[];
  readonly context: AgentContext;
  readonly journal: CallJournal;
  readonly signal: AbortSignal;
  /** What of the calls has begun while the reply arrived. */
  readonly early?: EarlyCalls;
}

/** What answers the calls of a reply. */
export type RunCalls = (calls: readonly ToolUseBlock[], params: RunCallsParams) => AsyncGenerator<AgentEvent, UserMessage>;

/**
 * Runs the tool calls of a reply and makes the message that answers them.
 *
 * Neighboring calls that are proven harmless to each other run side by side, every other call alone, in call order.
 * The results stand in call order whatever order they came in. Every call gets exactly one result, also when the turn
 * is stopped meanwhile: a conversation with an unanswered call could not go on.
 */
export async function* runToolCalls(
  calls: readonly ToolUseBlock[],
  params: RunCallsParams,
): AsyncGenerator<AgentEvent, UserMessage> {
  const results: ToolResultBlock[] = [];
  while (results.length < calls.length) {
    const judged = await nextBatch(calls.slice(results.length), (call) => prepareToolCall(call, params));
    const batch: PreparedCall[] = [];
    // One after the other: a person answers one question at a time, and an answer may settle the next.
    for (const each of judged) {
      const { call, plan } = each;
      if (plan.type === "ask" && params.context.askPermission !== undefined && !params.signal.aborted) yield { type: "permission_asked", call, verdict: plan.verdict };
      batch.push(await settleCall(each, params));
    }
    const callsMax = CONCURRENT_CALLS_MAX + batch.filter(({ plan }) => plan.type === "run" && plan.tool.isLimitedElsewhere).length;
    results.push(...(yield* mergeGenerators(batch.map((call) => runToolCall(call, params)), callsMax)));
  }
  return { role: "user", content: results };
}

/**
 * The calls that run next. A call is judged only when everything that may change something before it has ended: what
 * it would touch may have become something else.
 */
async function nextBatch(calls: readonly ToolUseBlock[], prepare: (call: ToolUseBlock) => Promise<JudgedCall>): Promise<JudgedCall[]> {
  const batch: JudgedCall[] = [];
  for (const call of calls) {
    const prepared = await prepare(call);
    if (prepared.isConcurrencySafe) batch.push(prepared);
    else return batch.length > 0 ? batch : [prepared];
  }
  return batch;
}
