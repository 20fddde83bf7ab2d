import { toolUses, type Message, type ToolResultBlock, type UserMessage } from "../../core/message.ts";

const INTERRUPTED = "Interrupted: this call has no result. Find out what it did before you make it again.";

/**
 * A conversation in which every call is answered by the next message, once and in order, and nothing else is: missing
 * results are filled in, results without a call are left out. A conversation that is sound already comes back as it is.
 */
export function repairPairing(messages: readonly Message[]): readonly Message[] {
  const repaired: Message[] = [];
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const calls = before?.role === "assistant" ? toolUses(before).map(({ id }) => id) : [];
    if (message.role === "assistant") {
      // Two replies in a row: the first one's calls were never answered.
      if (calls.length > 0) repaired.push({ role: "user", content: calls.map(missingResult) });
      repaired.push(message);
    } else {
      const answer = answering(message, calls);
      if (answer.content.length > 0) repaired.push(answer);
    }
  }
  const last = messages.at(-1);
  const open = last?.role === "assistant" ? toolUses(last).map(({ id }) => id) : [];
  return open.length === 0 ? repaired : [...repaired, { role: "user", content: open.map(missingResult) }];
}

function answering(message: UserMessage, calls: readonly string[]): UserMessage {
  const results = message.content.filter((block): block is ToolResultBlock => block.type === "tool_result");
  const isSound = results.length === calls.length && calls.every((id, index) => message.content[index] === results[index] && results[index]?.tool_use_id === id);
  if (isSound) return message;
  const answers = calls.map((id) => results.find(({ tool_use_id: answered }) => answered === id) ?? missingResult(id));
  return { role: "user", content: [...answers, ...message.content.filter(({ type }) => type !== "tool_result")] };
}

function missingResult(id: string): ToolResultBlock {
  return { type: "tool_result", tool_use_id: id, content: INTERRUPTED, is_error: true };
}
