/** The conversation as the Messages API has it. Blocks that we do not know are kept and sent back as they came. */

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

export interface ToolUseBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ThinkingBlock {
  readonly type: "thinking";
  readonly thinking: string;
  readonly signature: string;
}

export interface RedactedThinkingBlock {
  readonly type: "redacted_thinking";
  readonly data: string;
}

/** A block of a kind that this build does not know: opaque, echoed unchanged. */
export interface UnknownBlock {
  readonly type: "unknown";
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  /** Never empty. */
  readonly content: string;
  readonly is_error?: true;
}

export type AssistantBlock = TextBlock | ToolUseBlock | ThinkingBlock | RedactedThinkingBlock | UnknownBlock;
export type UserBlock = TextBlock | ToolResultBlock;

export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: readonly AssistantBlock[];
}

/** Tool results come first in the content, then text. */
export interface UserMessage {
  readonly role: "user";
  readonly content: readonly UserBlock[];
}

export type Message = AssistantMessage | UserMessage;

/**
 * The same conversation with neighboring messages of the user made one. They come about when something is added to a
 * conversation that was not answered; the roles that are sent alternate.
 */
export function joinUserMessages(messages: readonly Message[]): readonly Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === "user" && last?.role === "user") joined[joined.length - 1] = { role: "user", content: [...last.content, ...message.content] };
    else joined.push(message);
  }
  return joined;
}

/** All text of a message, blocks joined by a line feed. */
export function messageText(message: Message): string {
  return message.content
    .filter((block): block is TextBlock => block.type === "text")
    .map((block) => block.text)
    .join("\n");
}

export function toolUses(message: AssistantMessage): ToolUseBlock[] {
  return message.content.filter((block): block is ToolUseBlock => block.type === "tool_use");
}

export function userText(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}
