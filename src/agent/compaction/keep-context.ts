import type { AgentEvent } from "../../core/agent.ts";
import type { ModelClient } from "../../model/client.ts";
import { mayThink } from "../../model/thinking-traits.ts";
import type { Conversation } from "../conversation.ts";
import type { RequestHead } from "../request-head.ts";
import type { ContextMeter } from "./context-meter.ts";
import { planCompaction, type CompactionLayer, type CompactionStep } from "./plan-compaction.ts";
import { askForSummary, summaryMessage, type WorkingState } from "./summary.ts";

export interface KeepContextParams {
  readonly conversation: Conversation;
  readonly meter: ContextMeter;
  readonly model: ModelClient;
  readonly head: RequestHead;
  readonly outputTokensMax: number;
  /** Layers that did nothing; grows. */
  readonly exhausted: Set<CompactionLayer>;
  readonly isRepeatable: (tool: string) => boolean;
  readonly workingState: () => WorkingState;
  readonly signal: AbortSignal;
  /** Whether the service has said that the conversation is too long. */
  readonly isForced: boolean;
}

/** A layer has to take away this share at least, or it counts as exhausted. */
const SHRINKING_MIN = 0.05;
const STEPS_MAX = 6;

/**
 * Makes a conversation shorter where it has to be, layer after layer, each step an event. A step that fails leaves the
 * conversation as it was, and is not tried again.
 *
 * @returns whether anything was made shorter
 */
export async function* keepContext(params: KeepContextParams): AsyncGenerator<AgentEvent, boolean> {
  const { conversation, meter } = params;
  const room = roomOf(params);
  let hasShrunk = false;
  for (let step = 0; step < STEPS_MAX && !params.signal.aborted; step++) {
    const before = meter.estimate(conversation.messages);
    const next = planCompaction({ ...params, messages: conversation.messages, share: meter.bytesOf(conversation.messages) / room, roomBytes: room });
    if (next === undefined) return hasShrunk;
    const failure = yield* take(next, params);
    const after = meter.estimate(conversation.messages);
    if (failure === undefined) yield { type: "context_compacted", layer: next.layer, tokensBefore: before, tokensAfter: after };
    if (failure !== undefined || after > before * (1 - SHRINKING_MIN)) params.exhausted.add(next.layer);
    hasShrunk ||= after < before;
  }
  return hasShrunk;
}

/** What the prompt may have, in bytes. What the service has refused is its measure from then on. */
function roomOf({ conversation, model, meter, outputTokensMax, isForced }: KeepContextParams): number {
  if (isForced) return meter.bytesOf(conversation.messages);
  const { contextTokens } = model.limits;
  return (contextTokens - Math.min(outputTokensMax, contextTokens / 4)) * meter.bytesPerToken();
}

const SUMMARY_TOKENS_MAX = 8_000;
/** What a model thinks counts as well. */
const THINKING_ROOM_TOKENS = 16_000;

/** How long a summary may get: what is left of the window may be less, and is all that the service takes then. */
function summaryTokens({ model, head, meter, conversation, outputTokensMax }: KeepContextParams): number {
  const wanted = SUMMARY_TOKENS_MAX + (mayThink(model.model, head.thinking) ? THINKING_ROOM_TOKENS : 0);
  const left = model.limits.contextTokens - meter.estimate(conversation.messages);
  return Math.min(outputTokensMax, Math.max(SUMMARY_TOKENS_MAX, Math.min(wanted, left)));
}

/** Undefined where the step was made, otherwise why it was not. */
async function* take(step: CompactionStep, params: KeepContextParams): AsyncGenerator<AgentEvent, string | undefined> {
  const { conversation } = params;
  if (step.layer !== "summary") {
    await conversation.edit(step.edit);
    return undefined;
  }
  const { model, head, signal } = params;
  const startedAt = performance.now();
  const outcome = await askForSummary(model, { ...head, messages: conversation.toSend(), maxOutputTokens: summaryTokens(params) }, signal);
  if (outcome.usage !== undefined) yield { type: "side_request", purpose: "summary", model: model.model, usage: outcome.usage, apiDurationMs: performance.now() - startedAt };
  if (outcome.type === "failed") {
    if (!signal.aborted) yield { type: "compaction_failed", reason: outcome.why };
    return outcome.why;
  }
  const text = summaryMessage(conversation.messages, outcome.text, params.workingState());
  await conversation.edit({ type: "replace_start", messageCount: step.keptFrom, text });
  return undefined;
}
