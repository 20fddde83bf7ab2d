import { expect, test } from "bun:test";
import { rebuildConversation } from "../../src/agent/rebuild-conversation.ts";
import type { Message } from "../../src/core/message.ts";
import type { TranscriptDraft, TranscriptEntry } from "../../src/store/transcript-entry.ts";

const prompt: Message = { role: "user", content: [{ type: "text", text: "go" }] };
const calls = (...ids: string[]): Message => ({ role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "Bash", input: {} })) });
const results = (...ids: string[]): Message => ({ role: "user", content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "ok" })) });
const entry = (draft: TranscriptDraft): TranscriptEntry => ({
  uuid: crypto.randomUUID(),
  parentUuid: null,
  sessionId: "session",
  agentId: "a00000000" as TranscriptEntry["agentId"],
  isSidechain: false,
  timestamp: "2026-01-01T00:00:00.000Z",
  ...draft,
});
const said = (message: Message, fields: Record<string, unknown> = {}) => entry({ type: message.role, message, ...fields });
const intent = (id: string) => entry({ type: "system", subtype: "call_intent", toolUseId: id, name: "Bash" });
const outcome = (id: string, content: string, isError = false) => entry({ type: "system", subtype: "call_outcome", toolUseId: id, content, isError });

test("a conversation that ended in order is read back as it was", () => {
  const messages = [prompt, calls("t1"), results("t1"), { role: "assistant", content: [{ type: "text", text: "done" }] } as const];
  expect(rebuildConversation(messages.map((message) => said(message)))).toEqual({ messages, missingAnswer: [], deliveryIds: [] });
});

test("of calls that were in flight, an ended one is answered with its outcome, a begun one as unknown, the others as not run", () => {
  const { missingAnswer } = rebuildConversation([said(prompt), said(calls("t1", "t2", "t3", "t4")), intent("t1"), outcome("t1", "made"), intent("t2"), outcome("t2", "exit 1", true), intent("t3")]);
  expect(missingAnswer.map((result) => [result.tool_use_id, result.is_error === true, result.content.split(":", 1)[0]])).toEqual([
    ["t1", false, "made"],
    ["t2", true, "exit 1"],
    ["t3", true, "Unknown outcome"],
    ["t4", true, "Not run"],
  ]);
});

test("what is known of an earlier call with the same id says nothing of a later one", () => {
  const { missingAnswer } = rebuildConversation([said(prompt), said(calls("t1")), intent("t1"), outcome("t1", "first"), said(results("t1")), said(calls("t1"))]);
  expect(missingAnswer).toMatchObject([{ tool_use_id: "t1", is_error: true, content: expect.stringContaining("Not run") }]);
});

test("what came into the conversation from outside is known to have been delivered", () => {
  const { deliveryIds } = rebuildConversation([said(prompt), said(prompt, { deliveryIds: ["n1", "m1"] }), said(prompt, { deliveryIds: ["n2"] })]);
  expect(deliveryIds).toEqual(["n1", "m1", "n2"]);
});
