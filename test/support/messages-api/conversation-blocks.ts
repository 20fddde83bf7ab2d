import { blocksOf, canonicalJson, contentOf, isThinking, recordsOf, withoutMarks, type Json } from "./json.ts";

/** A block of a conversation with what thinking at its place would be bound to. */
export interface ConversationBlock {
  /** As the service names it in an error. */
  readonly path: string;
  readonly message: number;
  readonly role: unknown;
  readonly block: Json;
  /** Stands for the system prompt, the tools, and all blocks before this one but for thinking. */
  readonly before: string;
}

/** The blocks of all messages, and what a reply to them is bound to. */
export function conversationBlocks(body: Json): { readonly blocks: readonly ConversationBlock[]; readonly end: string } {
  const system = blocksOf(body["system"]).map(withoutMarks);
  let before = extendPrefix("", canonicalJson([system, recordsOf(body["tools"]).map(withoutMarks)]));
  const blocks = recordsOf(body["messages"]).flatMap((entry, message) =>
    contentOf(entry).map((block, index): ConversationBlock => {
      const found = { path: `messages.${message}.content.${index}`, message, role: entry["role"], block, before };
      before = prefixAfter(before, entry["role"], block);
      return found;
    }),
  );
  return { blocks, end: before };
}

/** Thinking has no part in what other thinking is bound to, and text that may not go back has none either. */
export function prefixAfter(before: string, role: unknown, block: Json): string {
  return countsForBinding(block) ? extendPrefix(before, `${String(role)} ${canonicalJson(withoutMarks(block))}`) : before;
}

export function countsForBinding(block: Json): boolean {
  return !isThinking(block) && !(block["type"] === "text" && String(block["text"]).trim() === "");
}

/** What a block is recognized by when it comes back: a call by its id, any other by all that it says. */
export function identityOf(block: Json): string {
  return block["type"] === "tool_use" ? `call ${String(block["id"])}` : canonicalJson(withoutMarks(block));
}

function extendPrefix(before: string, text: string): string {
  return Bun.hash.wyhash(`${before} ${text}`).toString(36);
}
