import { expect, test } from "bun:test";
import { applyEdit, CLEARED_RESULT } from "../../src/agent/compaction/apply-edit.ts";
import { budgetResults } from "../../src/agent/compaction/result-budget.ts";
import { rebuildConversation } from "../../src/agent/rebuild-conversation.ts";
import { repairPairing } from "../../src/agent/recovery/pairing.ts";
import type { ContextEdit } from "../../src/core/context-edit.ts";
import { joinUserMessages, userText, type Message, type ToolResultBlock, type UserMessage } from "../../src/core/message.ts";
import { shapeFault } from "../../src/model/conversation-shape.ts";
import type { TranscriptEntry } from "../../src/store/transcript-entry.ts";

const call = (...ids: string[]): Message => ({ role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "Read", input: {} })) });
const result = (...ids: string[]): UserMessage => ({ role: "user", content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: `of ${id}` })) });
const thinking = (...ids: string[]): Message => ({ role: "assistant", content: [{ type: "thinking", thinking: "t", signature: "s" }, ...call(...ids).content] as never });

function entries(parts: readonly (Message | ContextEdit)[]): TranscriptEntry[] {
  return parts.map((part, index) => ({
    uuid: `u${index}`,
    parentUuid: null,
    sessionId: "s",
    agentId: "a00000000" as never,
    isSidechain: false,
    timestamp: "",
    ...("role" in part ? { type: part.role, message: part } : { type: "system" as const, subtype: "context_edit", edit: part }),
  }));
}

test("a conversation that is read back is sent with the bytes it was sent with, whatever was taken out of it", () => {
  const parts: (Message | ContextEdit)[] = [
    userText("go"), thinking("a"), result("a"), thinking("b"), result("b"),
    { type: "clear_results", toolUseIds: ["a"] },
    thinking("c"), result("c"),
    { type: "replace_start", messageCount: 3, text: "go\n\n[some were taken out]" },
    call("d"), result("d"),
  ];
  let live: readonly Message[] = [];
  for (const part of parts) live = "role" in part ? [...live, part] : applyEdit(live, part);
  const { messages } = rebuildConversation(entries(parts));
  expect(JSON.stringify(messages)).toBe(JSON.stringify(live));
  expect(shapeFault(joinUserMessages(messages))).toBeUndefined();
});

test("what stands behind a change loses its thinking, what stands before it keeps it", () => {
  const before: Message[] = [userText("go"), thinking("a"), result("a"), thinking("b"), result("b"), thinking("c"), result("c")];
  const after = applyEdit(before, { type: "clear_results", toolUseIds: ["b"] });
  expect(after.map((message) => JSON.stringify(message).includes("thinking"))).toEqual([false, true, false, true, false, false, false]);
  expect(JSON.stringify(after[4])).toContain(CLEARED_RESULT);
});

test("a reply of which nothing is left is not empty", () => {
  const only: Message = { role: "assistant", content: [{ type: "thinking", thinking: "t", signature: "s" }] };
  expect(applyEdit([userText("go"), only], { type: "drop_thinking" })[1]?.content).toHaveLength(1);
});

test.each<[string, readonly Message[]]>([
  ["a call without a result", [userText("go"), call("a", "b"), result("a")]],
  ["a call without an answer at all", [userText("go"), call("a")]],
  ["results in another order", [userText("go"), call("a", "b"), result("b", "a")]],
  ["a result without its call", [userText("go"), call("a"), result("a", "x")]],
  ["a result twice", [userText("go"), call("a"), result("a", "a")]],
  ["results behind text", [userText("go"), call("a"), { role: "user", content: [{ type: "text", text: "x" }, ...result("a").content] }]],
  ["two replies in a row", [userText("go"), call("a"), call("b"), result("b")]],
  ["a result where nothing was called", [userText("go"), { role: "assistant", content: [{ type: "text", text: "x" }] }, { role: "user", content: [...result("a").content, { type: "text", text: "y" }] }]],
])("%s is repaired so that the service takes the conversation (S-097 to S-099)", (_what, messages) => {
  const repaired = repairPairing(messages);
  expect(shapeFault(joinUserMessages(repaired))).toBeUndefined();
  expect(JSON.stringify(repairPairing(repaired))).toBe(JSON.stringify(repaired));
});

test("a sound conversation comes back as it is", () => {
  const sound = [userText("go"), call("a", "b"), result("a", "b"), thinking("c"), result("c")];
  expect(JSON.stringify(repairPairing(sound))).toBe(JSON.stringify(sound));
});

test("the largest results of a reply are put away until the rest fits; beginning, end and path stay, in whole characters", async () => {
  const kept = new Map<string, string>();
  const keep = async (id: string, content: string) => {
    kept.set(id, content);
    return `/state/${id}.txt`;
  };
  const large = `begin ${"ä€😀".repeat(20_000)} end`;
  const blocks: ToolResultBlock[] = [
    { type: "tool_result", tool_use_id: "small", content: "x".repeat(30_000) },
    { type: "tool_result", tool_use_id: "large", content: large },
    { type: "tool_result", tool_use_id: "middle", content: "y".repeat(100_000), is_error: true },
  ];
  const budgeted = (await budgetResults(blocks, keep)) as ToolResultBlock[];
  expect([...kept.keys()]).toEqual(["large"]);
  expect(kept.get("large")).toBe(large);
  expect(budgeted[1]?.content).toStartWith("begin ");
  expect(budgeted[1]?.content).toEndWith(" end");
  expect(budgeted[1]?.content).toContain("the whole result is in /state/large.txt");
  expect(budgeted[1]?.content.isWellFormed()).toBe(true);
  expect([budgeted[0], budgeted[2]]).toEqual([blocks[0], blocks[2]] as never);
  expect(await budgetResults(blocks.slice(0, 1), keep)).toEqual(blocks.slice(0, 1));
});
