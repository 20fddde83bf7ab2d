import { toolUses, type AssistantMessage, type Message, type ToolResultBlock, type UserMessage } from "../core/message.ts";

/**
 * What the service would refuse about the shape of a conversation; undefined where there is nothing. Text and results
 * are not empty, roles alternate from `user` on, and the calls of a reply are answered by the next message: all of them,
 * once, in order and before any text.
 */
export function shapeFault(messages: readonly Message[]): string | undefined {
  if (messages.length === 0) return "messages: there is none";
  for (const [index, message] of messages.entries()) {
    const fault = messageFault(message, index, messages[index - 1]);
    if (fault !== undefined) return `messages[${index}]: ${fault}`;
  }
  const last = messages.at(-1);
  return last?.role === "assistant" && toolUses(last).length > 0
    ? `messages[${messages.length - 1}]: its tool calls are not answered`
    : undefined;
}

function messageFault(message: Message, index: number, previous: Message | undefined): string | undefined {
  const expectedRole = index % 2 === 0 ? "user" : "assistant";
  if (message.role !== expectedRole) return `the role is ${message.role} instead of ${expectedRole}`;
  if (message.content.length === 0) return "it is empty";
  if (message.content.some((block) => block.type === "text" && block.text.trim() === "")) return "it holds empty text";
  if (message.role === "assistant") return duplicateFault(message);
  return resultsFault(message, previous?.role === "assistant" ? previous : undefined);
}

function duplicateFault(message: AssistantMessage): string | undefined {
  const ids = toolUses(message).map((call) => call.id);
  return new Set(ids).size < ids.length ? "two tool calls have one id" : undefined;
}

function resultsFault(message: UserMessage, previous: AssistantMessage | undefined): string | undefined {
  const results = message.content.filter((block): block is ToolResultBlock => block.type === "tool_result");
  if (results.some((result) => result.content === "")) return "it holds an empty tool result";
  if (message.content.slice(0, results.length).some((block) => block.type !== "tool_result")) {
    return "text stands before a tool result";
  }
  const called = previous === undefined ? [] : toolUses(previous).map((call) => call.id);
  const answered = results.map((result) => result.tool_use_id);
  return called.join() === answered.join()
    ? undefined
    : `the tool results are [${answered.join(", ")}] for the calls [${called.join(", ")}]`;
}
