import { describe, expect, test } from "bun:test";
import { askPermission } from "../../../../src/cli/run/asking/ask-permission.ts";
import { createScreen } from "../../../../src/cli/run/screen.ts";
import type { PermissionQuestion } from "../../../../src/core/permission.ts";
import type { TerminalInput } from "../../../../src/platform/terminal-input.ts";
import { memoryIo } from "../../../support/memory-io.ts";

const WITH_RULES: PermissionQuestion = {
  tool: "Write",
  access: { kind: "write", path: "/somewhere/a.txt" },
  verdict: { behavior: "ask", reason: "It needs an approval", grants: ["Write(a.txt)"] },
};
const WITHOUT_RULES: PermissionQuestion = { ...WITH_RULES, verdict: { behavior: "ask", reason: "It needs an approval" } };

describe("what is typed", () => {
  test.each([
    ["y", "once"],
    ["Y", "once"],
    ["r", "run"],
    ["A", "always"],
    ["n", "refused"],
    ["", "refused"],
    [undefined, "refused"],
  ])("%p is %s", async (line, reply) => {
    expect(await ask(WITH_RULES, [line])).toMatchObject({ reply, questions: 1 });
  });

  test.each([["yes"], [" y"], ["y "], ["y\nn"], ["1"], ["\u001by"], ["ｙ"]])("%p is no answer: it is asked again", async (line) => {
    expect(await ask(WITH_RULES, [line, line, "n"])).toMatchObject({ reply: "refused", questions: 3 });
  });

  test.each([["r"], ["a"]])("%p is no answer where no rule is offered", async (line) => {
    expect(await ask(WITHOUT_RULES, [line, "y"])).toMatchObject({ reply: "once", questions: 2 });
  });

  test("counts only after the question was shown", async () => {
    const { order } = await ask(WITH_RULES, ["x", "y"]);
    expect(order).toEqual(["question shown", "discard", "prompt shown", "read", "discard", "prompt shown", "read"]);
  });
});

test("a question is shown with what may be answered, and a line to type on", async () => {
  const { shown } = await ask(WITH_RULES, ["y"]);
  expect(shown).toBe(
    "agent: Write needs an approval: It needs an approval\n  | writes /somewhere/a.txt\n[y] once  [r] this run: Write(a.txt)  [a] always: Write(a.txt)  [n] no\nAnswer y, r, a or n: ",
  );
  expect((await ask(WITHOUT_RULES, ["y"])).shown).toEndWith("\n[y] once  [n] no\nAnswer y or n: ");
});

test("nobody is asked while another program is in front at the terminal", async () => {
  expect(await ask(WITH_RULES, [], { isOurs: () => false })).toMatchObject({ reply: "unasked", shown: "" });
});

test("an abort ends the question, whatever has been typed", async () => {
  const controller = new AbortController();
  const late = { readLine: async () => (controller.abort(), "y") };
  expect(await ask(WITH_RULES, [], late, controller.signal)).toMatchObject({ reply: "unanswered", questions: 1 });
  expect(await ask(WITH_RULES, [], {}, AbortSignal.abort())).toMatchObject({ reply: "unanswered", shown: "" });
});

test("the question is shown again when the run goes on after it was halted", async () => {
  let resume: () => void = () => undefined;
  const { shown } = await ask(WITH_RULES, [], {
    onResumed(listener) {
      resume = listener;
      return () => undefined;
    },
    async readLine() {
      resume();
      return "n";
    },
  });
  expect(shown.match(/needs an approval: It/g)).toHaveLength(2);
  expect(shown.match(/Answer /g)).toHaveLength(2);
});

async function ask(question: PermissionQuestion, lines: readonly (string | undefined)[], behavior: Partial<TerminalInput> = {}, signal = new AbortController().signal) {
  const io = memoryIo();
  const order: string[] = [];
  const waiting = [...lines];
  const screen = createScreen(io, { hasStatus: false, isAnswerOnTerminal: true });
  const reply = await askPermission(question, {
    signal,
    screen: {
      ...screen,
      async question(text) {
        await screen.question(text);
        order.push("question shown");
      },
      async prompt(text) {
        await screen.prompt(text);
        order.push("prompt shown");
      },
    },
    input: {
      isOurs: () => true,
      discard: () => void order.push("discard"),
      async readLine() {
        order.push("read");
        if (waiting.length === 0) throw new Error("The test has no line");
        return waiting.shift();
      },
      onResumed: () => () => undefined,
      ...behavior,
    },
  });
  await screen.close();
  return { reply, order, questions: order.filter((step) => step === "prompt shown").length, shown: io.stderr.text.replace(/(?<=: )\n$/, "") };
}
