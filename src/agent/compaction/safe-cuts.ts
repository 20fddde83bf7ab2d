import type { Message } from "../../core/message.ts";

/**
 * Whether a conversation may begin anew with a message: a call and its results stay together, so it must not hold
 * results. At the end nothing would be left to answer.
 */
export function isSafeCut(messages: readonly Message[], index: number): boolean {
  const message = messages[index];
  if (message === undefined || index === 0) return false;
  return message.role === "assistant" ? messages[index - 1]?.role === "user" : !message.content.some(({ type }) => type === "tool_result");
}

/** The first safe cut from an index on; undefined where there is none. */
export function safeCutFrom(messages: readonly Message[], from: number): number | undefined {
  for (let index = Math.max(from, 1); index < messages.length; index++) if (isSafeCut(messages, index)) return index;
  return undefined;
}
