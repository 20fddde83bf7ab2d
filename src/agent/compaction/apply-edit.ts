import type { ContextEdit } from "../../core/context-edit.ts";
import { userText, type AssistantBlock, type Message, type UserBlock } from "../../core/message.ts";
import { wellFormed } from "../../lib/well-formed.ts";
import { repairPairing } from "../recovery/pairing.ts";

/** What stands in the place of a result that can be had again. */
export const CLEARED_RESULT = "[This old result was taken out to save room. Make the call again if you need it.]";
/** A reply may not be empty. */
const EMPTIED_REPLY = "(no text)";

/**
 * The conversation after an edit. Thinking behind the first message that changed is left out: it is bound to what stood
 * before it, and the service refuses it otherwise.
 */
export function applyEdit(messages: readonly Message[], edit: ContextEdit): readonly Message[] {
  switch (edit.type) {
    case "clear_results":
      return clearResults(messages, new Set(edit.toolUseIds));
    case "replace_start":
      return [userText(edit.text), ...messages.slice(edit.messageCount).map(withoutThinking)];
    case "drop_thinking":
      return messages.map(withoutThinking);
    case "drop_unknown":
      return messages.map((message) => filtered(message, ({ type }) => type !== "unknown"));
    case "fix_pairing":
      return repairPairing(messages).map(withoutThinking);
    case "fix_encoding":
      return wellFormed(messages);
  }
}

function clearResults(messages: readonly Message[], ids: ReadonlySet<string>): readonly Message[] {
  let isChanged = false;
  return messages.map((message) => {
    if (message.role === "assistant") return isChanged ? withoutThinking(message) : message;
    if (!message.content.some((block) => isClearable(block, ids))) return message;
    isChanged = true;
    return { ...message, content: message.content.map((block) => (isClearable(block, ids) ? { ...block, content: CLEARED_RESULT } : block)) };
  });
}

function isClearable(block: UserBlock, ids: ReadonlySet<string>): boolean {
  return block.type === "tool_result" && ids.has(block.tool_use_id) && block.content !== CLEARED_RESULT;
}

function withoutThinking(message: Message): Message {
  return filtered(message, ({ type }) => type !== "thinking" && type !== "redacted_thinking");
}

function filtered(message: Message, isKept: (block: AssistantBlock) => boolean): Message {
  if (message.role === "user" || message.content.every(isKept)) return message;
  const content = message.content.filter(isKept);
  return { ...message, content: content.length === 0 ? [{ type: "text", text: EMPTIED_REPLY }] : content };
}
