import type { AgentEvent, ModelFailure, StopReason } from "../core/agent.ts";
import { errorMessage } from "../core/errors.ts";
import { toolUses } from "../core/message.ts";
import { abortableSleep } from "../lib/abortable-sleep.ts";
import { ModelError, type ModelClient, type ModelRequest } from "../model/client.ts";
import { decideRetry } from "../model/retry.ts";
import { createReplyAccumulator, type Reply } from "./accumulate-reply.ts";
import { stopForReply } from "./stop-for-reply.ts";

export interface StreamTurnParams {
  readonly model: ModelClient;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  /** How many requests may be made for one reply. */
  readonly attemptsMax: number;
  readonly random?: () => number;
}

export type TurnOutcome =
  | { readonly type: "reply"; readonly reply: Reply; readonly apiDurationMs: number }
  | { readonly type: "stop"; readonly stop: StopReason };

/**
 * Asks the model for one reply. A request that fails in a way that may pass is repeated, each time as an event; what had
 * arrived of the failed reply is dropped.
 */
export async function* streamTurn(params: StreamTurnParams): AsyncGenerator<AgentEvent, TurnOutcome> {
  const { model, request, signal, attemptsMax, random = Math.random } = params;
  for (let attempt = 1; ; attempt++) {
    const startedAt = performance.now();
    const accumulator = createReplyAccumulator();
    try {
      for await (const event of model.stream(request, signal)) {
        accumulator.add(event);
        if (event.type === "block_delta" && event.delta.type === "text_delta") yield { type: "text_delta", text: event.delta.text };
      }
      const reply = accumulator.reply();
      requireCalls(reply);
      return { type: "reply", reply, apiDurationMs: performance.now() - startedAt };
    } catch (error) {
      if (signal.aborted) return { type: "stop", stop: { type: "aborted", reason: signal.reason } };
      if (!(error instanceof ModelError)) throw error;
      const decision = decideRetry(error, { attempt, attemptsMax, random });
      if (!decision.retry) return { type: "stop", stop: { type: "model_error", error: modelFailure(error) } };
      yield { type: "api_retry", attempt, delayMs: decision.delayMs, error: errorMessage(error) };
      await abortableSleep(decision.delayMs, signal);
    }
  }
}

/** Without the call that it was about, a reply would pass for the last one. */
function requireCalls(reply: Reply): void {
  const [tool] = reply.lostCalls;
  if (stopForReply(reply) !== undefined) return;
  if (tool !== undefined) throw new ModelError("retryable", `Cannot read the reply: the input of its call of "${tool}" is no whole JSON object`);
  if (reply.stopReason === "tool_use" && toolUses(reply.message).length === 0) {
    throw new ModelError("retryable", "Cannot read the reply: it ends for a tool call and holds none");
  }
}

function modelFailure(error: ModelError): ModelFailure {
  return {
    class: error.class,
    message: error.message,
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
    ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
  };
}
