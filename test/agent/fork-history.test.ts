import { describe, expect, test } from "bun:test";
import { FORK_PLACEHOLDER, forkHistory, isForkHistory } from "../../src/agent/fork-history.ts";
import forkRules from "../../src/agent/fork-rules.md" with { type: "text" };
import { userText, type Message } from "../../src/core/message.ts";

const HISTORY: readonly Message[] = [
  userText("go"),
  {
    role: "assistant",
    content: [
      { type: "text", text: "two parts" },
      { type: "tool_use", id: "toolu_1", name: "Agent", input: { prompt: "one" } },
      { type: "tool_use", id: "toolu_2", name: "Bash", input: { command: "ls" } },
    ],
  },
];

describe("the conversation of a fork", () => {
  test("is its parent's, message for message, and one more that answers every call alike and ends with the directive", () => {
    const history = forkHistory(HISTORY, { directive: "count the files", rules: forkRules });
    expect(history.slice(0, -1)).toEqual([...HISTORY]);
    const { role, content } = history.at(-1) ?? {};
    expect([role, content?.slice(0, 2)]).toEqual(["user", ["toolu_1", "toolu_2"].map((id) => ({ type: "tool_result", tool_use_id: id, content: FORK_PLACEHOLDER }))]);
    const [last] = content?.slice(2) ?? [];
    expect(last?.type === "text" && last.text.endsWith("</fork-directive>\n\n[FORK] count the files")).toBe(true);
    expect(content?.length).toBe(3);
  });

  test("differs from a sibling's in nothing but the directive", () => {
    const [one, two] = ["one", "two"].map((directive) => JSON.stringify(forkHistory(HISTORY, { directive, rules: forkRules })));
    expect(one?.replace("[FORK] one", "[FORK] two")).toBe(two ?? "");
  });

  test("does not change its parent's", () => {
    const before = structuredClone(HISTORY);
    forkHistory(HISTORY, { directive: "x", rules: forkRules });
    expect(HISTORY).toEqual(before);
  });

  test("is known as one by its messages alone", () => {
    const history = forkHistory(HISTORY, { directive: "x", rules: forkRules });
    expect([isForkHistory(history), isForkHistory(HISTORY), isForkHistory(structuredClone(history).slice(-1))]).toEqual([true, false, true]);
  });

  test("can begin with a conversation whose last reply made no call, and with half a character in the directive", () => {
    const history = forkHistory([userText("go"), { role: "assistant", content: [{ type: "text", text: "yes" }] }], { directive: "\ud800", rules: "rules" });
    expect(history.at(-1)?.content).toEqual([{ type: "text", text: "<fork-directive>\nrules\n</fork-directive>\n\n[FORK] \ufffd" }]);
  });
});

test("a fork is told ten rules and the form of its report", () => {
  expect(forkRules.match(/^\d+\. /gm)?.length).toBe(10);
  expect(["Scope:", "Result:", "Files:", "Issues:"].every((part) => forkRules.includes(`\n${part} `))).toBe(true);
});
