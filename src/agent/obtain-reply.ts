import type { AgentEvent, StopReason } from "../core/agent.ts";
import { totalTokens } from "../core/usage.ts";
import { RETRY_AFTER_MAX_MS } from "../model/retry.ts";
import type { Reply } from "./accumulate-reply.ts";
import type { EarlyCalls } from "./early-calls.ts";
import type { QueryParams } from "./loop-params.ts";
import type { LoopState } from "./loop-state.ts";
import { decideRecovery, type Recovery, type RecoveryLimits } from "./recovery/decide-recovery.ts";
import { loadCompaction, loadRecovery } from "./registry.ts";
import { createReplyEffort } from "./reply-effort.ts";
import type { ReplyAttempt } from "./stream-reply.ts";
import { tryReply } from "./try-reply.ts";

export type ReplyOutcome =
  | {
      readonly type: "reply";
      readonly reply: Reply;
      readonly apiDurationMs: number;
      readonly early: EarlyCalls;
      /** What earlier parts of a reply that was cut said. */
      readonly textBefore: string;
    }
  | { readonly type: "stop"; readonly stop: StopReason };

/**
 * Gets one reply that can be taken as it is, whatever the service does on the way. What is done about a trouble is
 * decided in one place (`decideRecovery`), bounded, done in one place (`recover`), and told as an event.
 */
export async function* obtainReply(loop: LoopState, params: QueryParams): AsyncGenerator<AgentEvent, ReplyOutcome> {
  const effort = createReplyEffort(loop);
  if (mayBeLong(loop)) {
    const { keepLoopContext } = await loadCompaction();
    yield* keepLoopContext(loop, params, { isForced: false });
  }
  for (;;) {
    if (params.signal.aborted) return aborted(params);
    const tried = yield* tryReply(loop, params, effort);
    switch (tried.type) {
      case "reply":
        return { type: "reply", reply: tried.attempt.reply, apiDurationMs: tried.attempt.apiDurationMs, early: tried.early, textBefore: effort.textBefore };
      case "aborted":
        return aborted(params);
      case "exhausted":
        return { type: "stop", stop: { type: "budget", scope: tried.scope, message: tried.message } };
      case "trouble": {
        const recovery = decideRecovery(tried.trouble, effort.state, limitsOf(loop, params));
        yield* tellCost(tried.attempt, recovery, loop);
        const { recover } = await loadRecovery();
        const stop = yield* recover(recovery, { loop, params, effort, ...tried });
        if (stop !== undefined) return { type: "stop", stop };
      }
    }
  }
}

/** A share of the window below which nothing is done about the length of a conversation. */
const LONG_FROM = 0.4;

function mayBeLong({ meter, conversation, model }: LoopState): boolean {
  return meter.estimate(conversation.messages) > model.limits.contextTokens * LONG_FROM;
}

function limitsOf(loop: LoopState, params: QueryParams): RecoveryLimits {
  const { waitMsMax = RETRY_AFTER_MAX_MS } = params;
  const hasFallback = loop.fallbacksUsed < (params.fallbacks?.length ?? 0);
  return {
    attemptsMax: params.attemptsMax,
    // Another model answers sooner than a limit that is far off resets.
    waitMsMax: hasFallback ? Math.min(waitMsMax, RETRY_AFTER_MAX_MS) : waitMsMax,
    hasFallback,
    random: params.random ?? Math.random,
  };
}

/** A reply that is dropped has cost something all the same; one that stays is told with its message. */
async function* tellCost(attempt: ReplyAttempt, { type }: Recovery, loop: LoopState): AsyncGenerator<AgentEvent, void> {
  const usage = attempt.type === "reply" ? attempt.reply.usage : attempt.usage;
  if (type === "continue" || type === "resume" || totalTokens(usage) === 0) return;
  yield { type: "side_request", purpose: "dropped", model: loop.model.model, usage, apiDurationMs: attempt.apiDurationMs };
}

function aborted({ signal }: QueryParams): ReplyOutcome {
  return { type: "stop", stop: { type: "aborted", reason: signal.reason } };
}
