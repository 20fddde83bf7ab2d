import type { AgentEvent, StopReason } from "../core/agent.ts";
import { messageText, toolUses, type ToolUseBlock, type UserMessage } from "../core/message.ts";
import { inputBlocks, inputDeliveries } from "./input-blocks.ts";
import { budgetResults } from "./compaction/result-budget.ts";
import { callAtDenialLimit, denialLimitStop } from "./denial-limit.ts";
import type { EarlyCalls } from "./early-calls.ts";
import type { QueryParams } from "./loop-params.ts";
import type { LoopState } from "./loop-state.ts";
import { obtainReply } from "./obtain-reply.ts";
import { runToolCalls } from "./run-tool-calls.ts";

export type TurnEnd = { readonly type: "goes_on" } | { readonly type: "stop"; readonly stop: StopReason };

/** One reply of the model and the answers to its calls. */
export async function* runTurn(loop: LoopState, params: QueryParams): AsyncGenerator<AgentEvent, TurnEnd> {
  const outcome = yield* obtainReply(loop, params);
  if (outcome.type === "stop") return outcome;

  const { reply, apiDurationMs, early, textBefore } = outcome;
  const { message } = reply;
  if (message.content.length > 0) await loop.conversation.add(message);
  yield { type: "message_completed", message, model: loop.model.model, usage: reply.usage, apiDurationMs };

  const calls = toolUses(message);
  if (calls.length === 0) return { type: "stop", stop: { type: "end_turn", text: textBefore + messageText(message) } };
  return yield* answer(calls, early, { loop, params });
}

async function* answer(
  calls: readonly ToolUseBlock[],
  early: EarlyCalls,
  { loop, params }: { readonly loop: LoopState; readonly params: QueryParams },
): AsyncGenerator<AgentEvent, TurnEnd> {
  const refusedBefore = loop.refused.length;
  const results = yield* runCalls(calls, early, { loop, params });
  const kept = params.keepResult === undefined ? results.content : await budgetResults(results.content, params.keepResult);
  // A message that came while an interrupted turn ends begins the next one: taken here, nothing would answer it.
  const input = params.signal.aborted ? [] : await params.input.pending();
  const message: UserMessage = { role: "user", content: [...kept, ...inputBlocks(input)] };
  await loop.conversation.add(message, inputDeliveries(input));
  yield { type: "tool_results", message };

  const denied = loop.refused[refusedBefore];
  if (denied !== undefined && params.stopOnDenial) return stop({ type: "permission_denied", message: denied.verdict.reason });
  if (params.signal.aborted) return stop({ type: "aborted", reason: params.signal.reason });
  const text = params.answer?.();
  if (text !== undefined) return stop({ type: "end_turn", text });
  const repeated = callAtDenialLimit(loop.refused);
  return repeated === undefined ? { type: "goes_on" } : stop(denialLimitStop(repeated));
}

async function* runCalls(
  calls: readonly ToolUseBlock[],
  early: EarlyCalls,
  { loop, params }: { readonly loop: LoopState; readonly params: QueryParams },
): AsyncGenerator<AgentEvent, UserMessage> {
  await early.settled();
  const running = (params.runCalls ?? runToolCalls)(calls, { ...params, early });
  let step = await running.next();
  while (step.done !== true) {
    if (step.value.type === "permission_denied") loop.refused.push(step.value);
    yield step.value;
    step = await running.next();
  }
  return step.value;
}

function stop(reason: StopReason): TurnEnd {
  return { type: "stop", stop: reason };
}
