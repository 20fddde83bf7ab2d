import type { StopReason } from "../core/agent.ts";
import type { Reply } from "./accumulate-reply.ts";

/**
 * Whether a reply ends the loop whatever it says, by the reason the service gave for its end. Reasons that we do not know
 * end nothing: the content decides.
 */
export function stopForReply(reply: Reply): StopReason | undefined {
  switch (reply.stopReason) {
    case "max_tokens":
      return { type: "output_limit", message: "The model's reply was cut off at the output limit" };
    case "refusal":
      return { type: "refused", message: "The model refused to answer" };
    case "model_context_window_exceeded":
      return {
        type: "model_error",
        error: { class: "too_long", message: "The conversation no longer fits the model's context window" },
      };
    default:
      return undefined;
  }
}
