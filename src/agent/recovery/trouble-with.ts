import { toolUses } from "../../core/message.ts";
import { ModelError, type ModelRequest } from "../../model/client.ts";
import { repairFor } from "../../model/request-repair.ts";
import type { Reply } from "../accumulate-reply.ts";
import type { ReplyAttempt } from "../stream-reply.ts";
import type { Trouble } from "./decide-recovery.ts";

/** What is wrong with how a request ended; undefined where its reply can be taken as it is. */
export function troubleWith(attempt: ReplyAttempt, request: ModelRequest, limits: { readonly outputTokensMax: number }): Trouble | undefined {
  if (attempt.type === "failed") return { type: "error", error: attempt.error, isBroken: attempt.isBroken, repair: repairFor(attempt.error, request) };
  const { reply } = attempt;
  switch (reply.stopReason) {
    case "max_tokens":
      return { type: "cut", isRaisable: request.maxOutputTokens < limits.outputTokensMax };
    case "refusal":
      return { type: "refused", message: refusalMessage(reply) };
    case "model_context_window_exceeded":
      return { type: "error", error: new ModelError("too_long", "The conversation no longer fits the model's context window"), isBroken: false };
    case "pause_turn":
      return toolUses(reply.message).length === 0 ? { type: "paused" } : undefined;
    default:
      return reply.message.content.some(({ type }) => type !== "thinking" && type !== "redacted_thinking") ? undefined : { type: "empty" };
  }
}

function refusalMessage({ stopDetails }: Reply): string {
  const why = [stopDetails?.category, stopDetails?.explanation].filter((part) => part !== undefined);
  return `The model refused to answer${why.length === 0 ? "" : `: ${why.join(", ")}`}`;
}
