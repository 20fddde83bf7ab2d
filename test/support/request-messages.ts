import type { ApiRequest } from "./scripted-api-server.ts";

/** A block of a conversation as it is sent. */
export type WireBlock = Readonly<Record<string, unknown>>;

export interface WireMessage {
  readonly role: string;
  readonly content: readonly WireBlock[];
}

/** The conversation that a request carries; empty where there is no request. */
export function messagesOf(request: ApiRequest | undefined): readonly WireMessage[] {
  return (request?.body as { messages?: readonly WireMessage[] } | undefined)?.messages ?? [];
}

/** The texts of the first message: what the user said, with what the program put before it. */
export function firstTexts(request: ApiRequest | undefined): string[] {
  return (messagesOf(request)[0]?.content ?? []).map((block) => String(block["text"]));
}

/** The results of calls that the last message carries, as the model reads them. */
export function lastResults(request: ApiRequest | undefined): { readonly id: string; readonly content: string; readonly isError: boolean }[] {
  const blocks = messagesOf(request).at(-1)?.content ?? [];
  return blocks
    .filter((block) => block["type"] === "tool_result")
    .map((block) => ({ id: String(block["tool_use_id"]), content: String(block["content"]), isError: block["is_error"] === true }));
}
