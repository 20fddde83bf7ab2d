import { describe, expect, test } from "bun:test";
import type { AgentEvent } from "../../src/core/agent.ts";
import { AppError } from "../../src/core/errors.ts";
import { ModelError } from "../../src/model/client.ts";
import { reply, replyEndingWith, runScriptedQuery, testTool } from "../support/scripted-query.ts";

describe("a conversation", () => {
  test("ends with the model's text when it asks for nothing", async () => {
    const run = await runScriptedQuery([reply("all done")]);
    expect(run.stop).toEqual({ type: "end_turn", text: "all done" });
    expect(run.recorded).toEqual([{ role: "assistant", content: [{ type: "text", text: "all done" }] }]);
  });

  test("answers every call once, in call order, and goes on", async () => {
    const run = await runScriptedQuery(
      [reply("look", { id: "t1", tool: "Echo", input: { value: "one" } }, { id: "t2", tool: "Echo", input: { value: "two" } }), reply("done")],
      { tools: [testTool("Echo", ({ value }) => `echo ${value}`)] },
    );
    expect(run.stop).toEqual({ type: "end_turn", text: "done" });
    expect(run.requests[1]?.messages.at(-1)).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: "echo one" },
        { type: "tool_result", tool_use_id: "t2", content: "echo two" },
      ],
    });
  });

  test("sends the same bytes before what is new, turn by turn", async () => {
    const run = await runScriptedQuery(
      [reply({ id: "t1", tool: "Echo" }), reply({ id: "t2", tool: "Echo" }), reply("done")],
      { tools: [testTool("Echo", () => "same")] },
    );
    for (const [index, request] of run.requests.entries()) {
      const next = run.requests[index + 1];
      if (next === undefined) continue;
      expect(JSON.stringify(next.messages.slice(0, request.messages.length))).toBe(JSON.stringify(request.messages));
      expect(JSON.stringify([next.system, next.tools])).toBe(JSON.stringify([request.system, request.tools]));
    }
    expect(run.requests).toHaveLength(3);
  });

  test("is recorded before the loop goes on, and a failing record ends it", async () => {
    const failing = runScriptedQuery([reply({ id: "t1", tool: "Echo" }), reply("never asked")], {
      tools: [testTool("Echo", () => "x")],
      record: async (message) => {
        if (message.role === "user") throw new AppError("storage", "The disk is full");
      },
    });
    expect(failing).rejects.toThrow("The disk is full");
  });

  test("stops after the most turns with every call answered", async () => {
    const run = await runScriptedQuery([reply({ id: "t1", tool: "Echo" }), reply({ id: "t2", tool: "Echo" })], {
      tools: [testTool("Echo", () => "x")],
      turnsMax: 2,
    });
    expect(run.stop).toEqual({ type: "max_turns", maxTurns: 2 });
    expect(run.recorded.map((message) => message.role)).toEqual(["assistant", "user", "assistant", "user"]);
  });

  test("asks again as it stands when the service paused the turn", async () => {
    const run = await runScriptedQuery([replyEndingWith("pause_turn", "half"), reply("whole")]);
    expect(run.stop).toEqual({ type: "end_turn", text: "whole" });
    expect(run.requests[1]?.messages.at(-1)).toEqual({ role: "assistant", content: [{ type: "text", text: "half" }] });
  });
});

describe("a call that cannot be done", () => {
  test.each([
    ["an unknown tool", "Ecko", {}, 'no tool "Ecko"; did you mean "Echo"?'],
    ["input that does not fit", "Echo", { value: 7 }, "Invalid input for Echo: value"],
    ["a tool that throws", "Fail", {}, "it broke"],
  ])("is answered with an error result: %s", async (_what, tool, input, message) => {
    const tools = [
      testTool("Echo", () => "x"),
      testTool("Fail", () => {
        throw new Error("it broke");
      }),
    ];
    const run = await runScriptedQuery([reply({ id: "t1", tool, input }), reply("ok")], { tools });
    const result = run.requests[1]?.messages.at(-1)?.content[0];
    expect(result).toMatchObject({ type: "tool_result", tool_use_id: "t1", is_error: true });
    expect(result?.type === "tool_result" ? result.content : "").toContain(message);
  });

  test("is refused where no permission covers it, and never run", async () => {
    let runs = 0;
    const run = await runScriptedQuery([reply({ id: "t1", tool: "Echo" }), reply("ok")], {
      tools: [testTool("Echo", () => String(++runs))],
      permit: () => ({ behavior: "ask", reason: "nobody allowed it" }),
    });
    expect(runs).toBe(0);
    expect(run.events.filter((event) => event.type === "permission_denied")).toHaveLength(1);
    expect(run.requests[1]?.messages.at(-1)?.content[0]).toMatchObject({ is_error: true, content: "Permission denied: nobody allowed it" });
  });

  test("ends the loop at once where a refusal is to end it", async () => {
    const run = await runScriptedQuery([reply({ id: "t1", tool: "Echo" })], {
      tools: [testTool("Echo", () => "x")],
      permit: () => ({ behavior: "deny", reason: "denied by a rule" }),
      stopOnDenial: true,
    });
    expect(run.stop).toEqual({ type: "permission_denied", message: "denied by a rule" });
    expect(run.recorded.at(-1)?.role).toBe("user");
  });

  test("gets a result that is never empty and never too long", async () => {
    const tools = [testTool("Empty", () => " \n"), testTool("Long", () => "é".repeat(100), { maxResultBytes: 11 })];
    const run = await runScriptedQuery([reply({ id: "t1", tool: "Empty" }, { id: "t2", tool: "Long" }), reply("ok")], { tools });
    expect(run.requests[1]?.messages.at(-1)?.content).toEqual([
      { type: "tool_result", tool_use_id: "t1", content: "(no output)" },
      { type: "tool_result", tool_use_id: "t2", content: "ééééé\n[190 more bytes were cut]" },
    ]);
  });
});

describe("the calls of one reply", () => {
  test("that only read run side by side, at most sixteen, with results in call order (S-152)", async () => {
    let active = 0;
    let most = 0;
    const gates = Array.from({ length: 20 }, () => Promise.withResolvers<void>());
    const tool = testTool(
      "Read",
      async ({ value }) => {
        most = Math.max(most, ++active);
        // The sixteenth lets all go, so the test ends only if sixteen are inside at once.
        if (active === 16) for (const gate of gates) gate.resolve();
        await gates[Number(value)]?.promise;
        active--;
        return `read ${value}`;
      },
      { isConcurrencySafe: true },
    );
    const calls = gates.map((_, index) => ({ id: `t${index}`, tool: "Read", input: { value: String(index) } }));
    const run = await runScriptedQuery([reply(...calls), reply("ok")], { tools: [tool] });
    expect(most).toBe(16);
    expect(run.requests[1]?.messages.at(-1)?.content.map((block) => (block.type === "tool_result" ? block.content : ""))).toEqual(
      calls.map((call) => `read ${call.input.value}`),
    );
  });

  test("that may change something run alone, after what came before them", async () => {
    const log: string[] = [];
    const step = (name: string, isConcurrencySafe: boolean) =>
      testTool(
        name,
        async ({ value }) => {
          log.push(`+${name}${value}`);
          await Promise.resolve();
          log.push(`-${name}${value}`);
          return "ok";
        },
        { isConcurrencySafe },
      );
    const call = (tool: string, value: string) => ({ id: `${tool}${value}`, tool, input: { value } });
    await runScriptedQuery([reply(call("r", "1"), call("r", "2"), call("w", "3"), call("w", "4"), call("r", "5")), reply("ok")], {
      tools: [step("r", true), step("w", false)],
    });
    expect(log.slice(0, 4).toSorted()).toEqual(["+r1", "+r2", "-r1", "-r2"]);
    expect(log.slice(4)).toEqual(["+w3", "-w3", "+w4", "-w4", "+r5", "-r5"]);
  });
});

describe("a reply that is not whole", () => {
  test("is asked for again, and what had come of it is dropped", async () => {
    const broken = async function* () {
      yield* reply("half").slice(0, 3);
      throw new ModelError("retryable", "the stream broke", { retryAfterMs: 0 });
    };
    const run = await runScriptedQuery([broken, reply("whole")], { attemptsMax: 2 });
    expect(run.stop).toEqual({ type: "end_turn", text: "whole" });
    expect(run.events).toContainEqual({ type: "api_retry", attempt: 1, delayMs: 0, error: "the stream broke" });
    expect(run.recorded).toHaveLength(1);
  });

  test("never runs a call that the output limit cut off", async () => {
    let runs = 0;
    const cut = replyEndingWith("max_tokens", "I will", { id: "t1", tool: "Echo", input: { value: "x" } }).map((event) =>
      event.type === "block_delta" && event.delta.type === "input_json_delta"
        ? { ...event, delta: { type: "input_json_delta" as const, partialJson: '{"value": "x' } }
        : event,
    );
    const run = await runScriptedQuery([cut, cut, cut, cut, cut], { tools: [testTool("Echo", () => String(++runs))] });
    expect(runs).toBe(0);
    expect(run.stop).toMatchObject({ type: "output_limit", message: expect.stringContaining("4 times in a row") });
    expect(run.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1_000, 32_000, 32_000, 32_000, 32_000]);
    expect(run.recorded.filter(({ role }) => role === "assistant")).toEqual(Array.from({ length: 3 }, () => ({ role: "assistant", content: [{ type: "text", text: "I will" }] })));
    expect(JSON.stringify(run.recorded)).toContain("no tool call in it was run");
  });

  test.each([
    ["auth", "auth"],
    ["invalid", "invalid"],
    ["too_long", "too_long"],
    ["billing", "billing"],
  ] as const)("ends the loop where asking again cannot help: %s", async (errorClass, expected) => {
    const run = await runScriptedQuery([new ModelError(errorClass, "no")], { attemptsMax: 5 });
    expect(run.stop).toEqual({ type: "model_error", error: { class: expected, message: "no" } });
    expect(run.requests).toHaveLength(1);
  });

  test("is given up after the most attempts", async () => {
    const overloaded = () => new ModelError("retryable", "overloaded", { retryAfterMs: 0, status: 529 });
    const run = await runScriptedQuery([overloaded(), overloaded(), overloaded()], { attemptsMax: 3 });
    expect(run.stop).toEqual({ type: "model_error", error: { class: "retryable", message: "overloaded", status: 529, retryAfterMs: 0 } });
    expect(run.requests).toHaveLength(3);
  });
});

describe("a stop from outside", () => {
  test("while the model answers drops the reply and keeps the conversation valid", async () => {
    const controller = new AbortController();
    const stalled = async function* (_request: unknown, signal: AbortSignal) {
      yield* reply("half").slice(0, 3);
      controller.abort("stopped by the test");
      if (signal.aborted) throw new ModelError("aborted", "stopped");
    };
    const run = await runScriptedQuery([stalled], { signal: controller.signal });
    expect(run.stop).toEqual({ type: "aborted", reason: "stopped by the test" });
    expect(run.recorded).toEqual([]);
  });

  test("while calls run answers all of them before the loop ends", async () => {
    const controller = new AbortController();
    const tools = [
      testTool("Slow", () => {
        controller.abort("stopped by the test");
        return "interrupted";
      }),
    ];
    const run = await runScriptedQuery([reply({ id: "t1", tool: "Slow" }, { id: "t2", tool: "Slow" })], {
      tools,
      signal: controller.signal,
    });
    expect(run.stop).toEqual({ type: "aborted", reason: "stopped by the test" });
    expect(run.recorded.at(-1)).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: "interrupted" },
        { type: "tool_result", tool_use_id: "t2", content: "Not run: the turn was stopped before this call", is_error: true },
      ],
    });
  });
});

test("a message that comes while an interrupted turn ends is left for the next turn, and not lost in the one that ends", async () => {
  const controller = new AbortController();
  const run = await runScriptedQuery([reply({ id: "t1", tool: "Slow" })], {
    tools: [testTool("Slow", () => (controller.abort("interrupted"), "so far"))],
    signal: controller.signal,
    input: {
      pending: () => Promise.resolve([{ deliveryId: "d1", text: "the other way" }]),
      next: () => Promise.resolve(undefined),
      turnSignal: () => new AbortController().signal,
    },
  });
  expect(run.stop).toEqual({ type: "aborted", reason: "interrupted" });
  expect(JSON.stringify(run.recorded)).not.toContain("the other way");
});

test("events tell the turns, texts and calls in order", async () => {
  const run = await runScriptedQuery([reply("hm", { id: "t1", tool: "Echo" }), reply("done")], {
    tools: [testTool("Echo", () => "x")],
  });
  const types: AgentEvent["type"][] = run.events.map((event) => event.type);
  expect(types).toEqual([
    "turn_start",
    "text_delta",
    "message_completed",
    "tool_started",
    "tool_completed",
    "tool_results",
    "turn_start",
    "text_delta",
    "message_completed",
  ]);
});
