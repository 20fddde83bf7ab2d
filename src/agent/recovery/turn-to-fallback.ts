import type { AgentEvent } from "../../core/agent.ts";
import { errorMessage } from "../../core/errors.ts";
import type { QueryParams } from "../loop-params.ts";
import type { LoopState } from "../loop-state.ts";

/** Turns to the next model that can be opened. Thinking of one model means nothing to another. */
export async function* turnToFallback(loop: LoopState, params: QueryParams, reason: string): AsyncGenerator<AgentEvent, void> {
  const from = loop.model.model;
  for (const open of (params.fallbacks ?? []).slice(loop.fallbacksUsed)) {
    loop.fallbacksUsed++;
    try {
      loop.model = await open();
    } catch (error) {
      yield { type: "recovery", action: "fallback", reason: errorMessage(error) };
      continue;
    }
    loop.outputTokensMax = Math.min(params.outputTokensMax, loop.model.limits.outputTokensMax);
    loop.adaptation = {};
    loop.repaired = new Set();
    await loop.conversation.edit({ type: "drop_thinking" });
    yield { type: "model_fallback", from, to: loop.model.model, reason };
    return;
  }
}
