import { expect, test } from "bun:test";
import { renderTranscriptEntry } from "../../../src/cli/tasks/render-transcript.ts";
import type { Message } from "../../../src/core/message.ts";
import { taskId } from "../../support/sample-task.ts";

function rendered(message: Message | undefined): string {
  return renderTranscriptEntry({
    type: message?.role ?? "system",
    ...(message === undefined ? {} : { message }),
    uuid: "u-1",
    parentUuid: null,
    sessionId: "session-1",
    agentId: taskId("a00000000"),
    isSidechain: false,
    timestamp: "2026-01-01T00:00:00.000Z",
  });
}

test("text stands under who said it", () => {
  expect(rendered({ role: "user", content: [{ type: "text", text: "Fix the tests\nall of them\n" }] })).toBe("[user]\nFix the tests\nall of them\n\n");
});

test("a tool call is one line, thinking is left out", () => {
  const message: Message = {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "text", text: "I run them." },
      { type: "tool_use", id: "t-1", name: "Bash", input: { command: "npm test\nnpm run lint" } },
    ],
  };
  expect(rendered(message)).toBe("[assistant]\nI run them.\n> Bash npm test\n\n");
});

test("of a result the first lines are shown, with how many follow; failures are marked", () => {
  const result = (content: string, failed: boolean): Message => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "t-1", content, ...(failed ? { is_error: true as const } : {}) }],
  });
  expect(rendered(result("one\ntwo\nthree\nfour\nfive\n", false))).toBe("< one\n< two\n< three\n< ... 2 more lines\n\n");
  expect(rendered(result("Exit code 1", true))).toBe("! Exit code 1\n\n");
  expect(rendered(result("x".repeat(1_000), false))).toBe(`< ${"x".repeat(200)} [800 more characters]\n\n`);
});

test("control characters of the model and of programs become visible", () => {
  const text = rendered({ role: "assistant", content: [{ type: "text", text: "\u001b]0;owned\u0007" }] });
  expect(text).toBe("[assistant]\n␛]0;owned␇\n\n");
});

test("entries that say nothing to people are empty", () => {
  expect(rendered(undefined)).toBe("");
  expect(rendered({ role: "assistant", content: [{ type: "redacted_thinking", data: "x" }] })).toBe("");
});
