import type { AgentEvent } from "../core/agent.ts";
import { toolUses, type ToolUseBlock } from "../core/message.ts";
import { NO_USAGE, type Usage } from "../core/usage.ts";
import { ModelError, type ModelClient, type ModelRequest } from "../model/client.ts";
import { createReplyAccumulator, type Reply } from "./accumulate-reply.ts";

export type ReplyAttempt = { readonly apiDurationMs: number } & (
  | { readonly type: "reply"; readonly reply: Reply }
  /** `isBroken`: the reply had begun; `usage` is what it has cost so far. */
  | { readonly type: "failed"; readonly error: ModelError; readonly isBroken: boolean; readonly usage: Usage }
);

/**
 * Makes one request and reads its reply. What had arrived of a reply that fails is dropped.
 *
 * @param params.onCall takes each tool call as soon as it is complete
 */
export async function* streamReply(params: {
  readonly model: ModelClient;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly isWhole: boolean;
  readonly onCall: (call: ToolUseBlock) => void;
}): AsyncGenerator<AgentEvent, ReplyAttempt> {
  const { model, request, signal, isWhole, onCall } = params;
  const startedAt = performance.now();
  const accumulator = createReplyAccumulator();
  let hasBegun = false;
  try {
    for await (const event of model.stream(request, signal, { isWhole })) {
      hasBegun = true;
      accumulator.add(event);
      if (event.type === "block_delta" && event.delta.type === "text_delta") yield { type: "text_delta", text: event.delta.text };
      const call = event.type === "block_stop" ? accumulator.callAt(event.index) : undefined;
      if (call !== undefined) onCall(call);
    }
    const reply = accumulator.reply();
    requireCalls(reply);
    return { type: "reply", reply, apiDurationMs: performance.now() - startedAt };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return { type: "failed", error, isBroken: hasBegun, usage: hasBegun ? accumulator.reply().usage : NO_USAGE, apiDurationMs: performance.now() - startedAt };
  }
}

/** Reasons for which a reply is not asked for its calls. */
const ENDED_OTHERWISE: ReadonlySet<string | null> = new Set(["max_tokens", "refusal", "model_context_window_exceeded"]);

/** Without the call that it was about, a reply would pass for the last one. */
function requireCalls(reply: Reply): void {
  const [tool] = reply.lostCalls;
  if (ENDED_OTHERWISE.has(reply.stopReason)) return;
  if (tool !== undefined) throw new ModelError("retryable", `Cannot read the reply: the input of its call of "${tool}" is no whole JSON object`);
  if (reply.stopReason === "tool_use" && toolUses(reply.message).length === 0) {
    throw new ModelError("retryable", "Cannot read the reply: it ends for a tool call and holds none");
  }
}
