import { isRecord } from "../../../src/lib/is-record.ts";

/** A parsed JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** The objects of a list; empty where the value is no list. */
export function recordsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** The blocks of a message, where a string stands for one block of text. */
export function contentOf(message: Json): readonly Json[] {
  return blocksOf(message["content"]);
}

/** Blocks as they stand, or the one block of text that a string stands for. */
export function blocksOf(content: unknown): readonly Json[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : recordsOf(content);
}

/** A block without what only steers the cache, also in the blocks that it holds. */
export function withoutMarks({ cache_control: _mark, ...block }: Json): Json {
  const { content } = block;
  return Array.isArray(content) ? { ...block, content: content.map((each: unknown) => (isRecord(each) ? withoutMarks(each) : each)) } : block;
}

/** JSON that does not depend on the order of the members. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    isRecord(member) ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

export function isThinking(block: Json): boolean {
  return block["type"] === "thinking" || block["type"] === "redacted_thinking";
}
