import { expect } from "bun:test";
import type { ApiRequest } from "./scripted-api-server.ts";

/** A request that goes on where another one was: what is not new has the same bytes. */
export function expectGoesOn(later: ApiRequest | undefined, earlier: ApiRequest | undefined): void {
  for (const field of ["model", "system", "tools"]) expect(JSON.stringify(later?.body[field])).toBe(JSON.stringify(earlier?.body[field]));
  const [before, after] = [messagesWithoutMarks(earlier), messagesWithoutMarks(later)];
  const last = before.length - 1;
  expect(after.slice(0, last)).toEqual(before.slice(0, last));
  // Something may stand behind the last message of the user.
  expect(after[last]?.startsWith(before[last]?.replace(/\]\}$/, "") ?? "?")).toBe(true);
}

/** Marks for the cache move with the end of the conversation. */
function messagesWithoutMarks(request: ApiRequest | undefined): string[] {
  const messages = request?.body["messages"];
  return (Array.isArray(messages) ? messages : []).map((message) => JSON.stringify(message).replaceAll(',"cache_control":{"type":"ephemeral"}', ""));
}
