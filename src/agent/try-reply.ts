import type { AgentEvent } from "../core/agent.ts";
import type { BudgetAnswer } from "../core/token-budget.ts";
import { NO_USAGE, totalTokens } from "../core/usage.ts";
import type { ModelRequest } from "../model/client.ts";
import { createEarlyCalls, type EarlyCalls } from "./early-calls.ts";
import { requestHead } from "./request-head.ts";
import type { QueryParams } from "./loop-params.ts";
import type { LoopState } from "./loop-state.ts";
import type { Trouble } from "./recovery/decide-recovery.ts";
import { troubleWith } from "./recovery/trouble-with.ts";
import type { ReplyEffort } from "./reply-effort.ts";
import { streamReply, type ReplyAttempt } from "./stream-reply.ts";

export type Tried =
  | { readonly type: "reply"; readonly attempt: Extract<ReplyAttempt, { type: "reply" }>; readonly early: EarlyCalls }
  | { readonly type: "trouble"; readonly attempt: ReplyAttempt; readonly trouble: Trouble }
  | Extract<BudgetAnswer, { type: "exhausted" }>
  | { readonly type: "aborted" };

/** Makes one request, once there is money for it, and says what is wrong with its reply. */
export async function* tryReply(loop: LoopState, params: QueryParams, effort: ReplyEffort): AsyncGenerator<AgentEvent, Tried> {
  const request = requestOf(loop, params, effort.outputTokensMax);
  const granted = await reserve(loop, params, request);
  if (params.signal.aborted) {
    if (granted.type === "granted") granted.settle(NO_USAGE);
    return { type: "aborted" };
  }
  if (granted.type === "exhausted") return granted;
  const early = createEarlyCalls(params);
  let attempt: ReplyAttempt | undefined;
  try {
    attempt = yield* streamReply({
      model: loop.model,
      request: { ...request, maxOutputTokens: granted.outputTokensMax },
      signal: params.signal,
      isWhole: effort.isWhole,
      onCall: params.startsCallsEarly === false ? () => undefined : early.offer,
    });
  } finally {
    // What is never given back others would wait for.
    if (attempt === undefined) granted.settle(NO_USAGE);
  }
  loop.dropBytes(loop.meter.bytesOf(request.messages));
  settle(attempt, { loop, granted });
  const trouble = troubleOf(attempt, { request, loop, granted: granted.outputTokensMax });
  if (attempt.type === "reply" && trouble === undefined) return { type: "reply", attempt, early };
  early.discard();
  return params.signal.aborted || trouble === undefined ? { type: "aborted" } : { type: "trouble", attempt, trouble };
}

function requestOf(loop: LoopState, params: QueryParams, maxOutputTokens: number): ModelRequest {
  const { taskBudgetTokens } = params;
  // The service counts by itself what it can see of the work; of what was taken out it has to be told.
  const remaining = loop.isCompacted ? { remaining: Math.max(0, (taskBudgetTokens ?? 0) - loop.spentTokens) } : {};
  return {
    ...requestHead(loop, params),
    messages: loop.conversation.toSend(),
    maxOutputTokens,
    ...(taskBudgetTokens === undefined ? {} : { taskBudget: { total: taskBudgetTokens, ...remaining } }),
  };
}

async function reserve(loop: LoopState, { budget, signal }: QueryParams, request: ModelRequest): Promise<BudgetAnswer> {
  const { maxOutputTokens: outputTokensMax } = request;
  if (budget === undefined) return { type: "granted", outputTokensMax, settle: () => undefined };
  return await budget.reserve({ model: loop.model.model, promptTokens: loop.meter.estimate(request.messages), outputTokensMax }, signal);
}

function settle(attempt: ReplyAttempt, { loop, granted }: { readonly loop: LoopState; readonly granted: Extract<BudgetAnswer, { type: "granted" }> }): void {
  const usage = attempt.type === "reply" ? attempt.reply.usage : attempt.usage;
  granted.settle(usage);
  loop.spentTokens += usage.input + usage.cacheWrite + usage.output;
  if (attempt.type === "reply") loop.meter.observe(loop.conversation.messages, totalTokens(usage) - usage.output);
}

function troubleOf(attempt: ReplyAttempt, { request, loop, granted }: { readonly request: ModelRequest; readonly loop: LoopState; readonly granted: number }): Trouble | undefined {
  // A reply that was cut at what the budget had left is no reason to ask for more.
  const outputTokensMax = granted < request.maxOutputTokens ? 0 : loop.model.limits.outputTokensMax;
  const trouble = troubleWith(attempt, request, { outputTokensMax });
  // Saying nothing to a question is an answer; saying nothing to results is not.
  const isAnswer = trouble?.type === "empty" && loop.conversation.messages.at(-1)?.content.every(({ type }) => type !== "tool_result") === true;
  return isAnswer ? undefined : trouble;
}
