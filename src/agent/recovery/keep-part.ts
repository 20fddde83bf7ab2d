import type { AgentEvent } from "../../core/agent.ts";
import { messageText, userText, type AssistantMessage } from "../../core/message.ts";
import type { LoopState } from "../loop-state.ts";
import type { ReplyAttempt } from "../stream-reply.ts";
import type { Recovery } from "./decide-recovery.ts";

/**
 * Puts what came of a reply on record, and asks for the rest of it.
 *
 * @returns the text of a reply that was cut
 */
export async function* keepPart(
  { reply, apiDurationMs }: Extract<ReplyAttempt, { type: "reply" }>,
  recovery: Extract<Recovery, { type: "continue" | "resume" }>,
  loop: LoopState,
): AsyncGenerator<AgentEvent, string> {
  const message = recovery.type === "resume" ? reply.message : withoutCalls(reply.message);
  if (message.content.length > 0) await loop.conversation.add(message);
  yield { type: "message_completed", message, model: loop.model.model, usage: reply.usage, apiDurationMs };
  // A paused reply goes on by being sent back as it is.
  if (recovery.type === "resume") {
    yield { type: "recovery", action: "resume", reason: "The model paused its reply" };
    return "";
  }
  const hadCall = message !== reply.message || reply.lostCalls.length > 0;
  yield { type: "recovery", action: "continue", reason: recovery.why === "cut" ? "The reply was cut off at the output limit" : "The reply was empty" };
  await loop.conversation.add(userText(recovery.why === "empty" ? GO_ON : hadCall ? CALL_WAS_CUT : TEXT_WAS_CUT));
  return recovery.why === "cut" ? messageText(message) : "";
}

const GO_ON = "Your reply was empty. Go on with the work, or say what came of it.";
const TEXT_WAS_CUT = "Your reply was cut off at the output limit. Go on exactly where it ends, without repeating anything.";
const CALL_WAS_CUT = "Your reply was cut off at the output limit, and no tool call in it was run. Go on in smaller steps: write large content in several calls.";

/** A call that is not going to be answered must not stay in the conversation. */
function withoutCalls(message: AssistantMessage): AssistantMessage {
  const content = message.content.filter((block) => block.type !== "tool_use");
  return content.length === message.content.length ? message : { ...message, content };
}
