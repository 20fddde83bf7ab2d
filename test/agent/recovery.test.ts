import { describe, expect, test } from "bun:test";
import { messageText, toolUses, type Message } from "../../src/core/message.ts";
import { CLEARED_RESULT } from "../../src/agent/compaction/apply-edit.ts";
import { ModelError, type ModelClient, type ModelEvent } from "../../src/model/client.ts";
import { shapeFault } from "../../src/model/conversation-shape.ts";
import { reply, replyEndingWith, runScriptedQuery, testTool, type ScriptedReply } from "../support/scripted-query.ts";

const overloaded = () => new ModelError("retryable", "overloaded", { retryAfterMs: 0, status: 529 });

function actions(run: { readonly events: readonly { readonly type: string }[] }): readonly string[] {
  return run.events.flatMap((event) => {
    if (event.type === "recovery") return [(event as unknown as { action: string }).action];
    return ["api_retry", "model_fallback", "context_compacted", "compaction_failed"].includes(event.type) ? [event.type] : [];
  });
}

describe("a reply that the output limit cut off", () => {
  test("is asked for again with the largest limit, and what was cut does not count", async () => {
    const run = await runScriptedQuery([replyEndingWith("max_tokens", "half"), reply("whole")]);
    expect(run.stop).toEqual({ type: "end_turn", text: "whole" });
    expect(run.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1_000, 32_000]);
    expect(run.recorded.map((message) => messageText(message))).toEqual(["whole"]);
    expect(run.events.filter(({ type }) => type === "side_request")).toHaveLength(1);
  });

  test("is continued where the limit is the largest, and the answer is all of it", async () => {
    const run = await runScriptedQuery([replyEndingWith("max_tokens", "one "), replyEndingWith("max_tokens", "two "), reply("three")], { outputTokensMax: 32_000 });
    expect(run.stop).toEqual({ type: "end_turn", text: "one two three" });
    expect(actions(run)).toEqual(["continue", "continue"]);
  });

  test("runs none of its calls, not even whole ones (A97)", async () => {
    let runs = 0;
    const both = replyEndingWith("max_tokens", { id: "t1", tool: "Write" }, { id: "t2", tool: "Write" });
    const run = await runScriptedQuery([both, reply("done")], { outputTokensMax: 32_000, tools: [testTool("Write", () => String(++runs))] });
    expect([runs, run.stop.type]).toEqual([0, "end_turn"]);
    for (const request of run.requests) expect(shapeFault(request.messages)).toBeUndefined();
  });
});

describe("a reply that broke off", () => {
  const broken: ScriptedReply = async function* () {
    yield* reply({ id: "t1", tool: "Echo" }).slice(0, -2);
    throw new ModelError("retryable", "The reply ended before it was complete", { retryAfterMs: 0 });
  };

  test("is asked for as a whole after the second time", async () => {
    const asked: (boolean | undefined)[] = [];
    const replies: ScriptedReply[] = [broken, broken, reply("done")];
    const run = await runScriptedQuery(replies, { attemptsMax: 5, tools: [testTool("Echo", () => "x")], watch: (options) => void asked.push(options?.isWhole) });
    expect(run.stop).toEqual({ type: "end_turn", text: "done" });
    expect(asked).toEqual([false, false, true]);
  });

  test("has run nothing that changes anything, and what it began to read is stopped", async () => {
    const ran: string[] = [];
    const stopped: string[] = [];
    const read = testTool("Look", async (_input, signal) => {
      ran.push("Look");
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      stopped.push("Look");
      return "x";
    }, { isConcurrencySafe: true });
    const write = testTool("Change", () => void ran.push("Change") as never);
    const brokenWithCalls: ScriptedReply = async function* () {
      yield* reply({ id: "t1", tool: "Look" }, { id: "t2", tool: "Change" }).slice(0, -2);
      while (ran.length === 0) await Promise.resolve();
      throw new ModelError("retryable", "cut", { retryAfterMs: 0 });
    };
    const run = await runScriptedQuery([brokenWithCalls, reply("done")], { attemptsMax: 2, tools: [read, write] });
    expect(run.stop.type).toBe("end_turn");
    expect([ran, stopped]).toEqual([["Look"], ["Look"]]);
  });
});

describe("calls of a reply that still arrives", () => {
  test("begin as soon as they are complete where they only look, in front of every other call", async () => {
    const order: string[] = [];
    const look = testTool("Look", ({ value }) => `${order.push(`look ${value}`)}`, { isConcurrencySafe: true });
    const change = testTool("Change", () => `${order.push("change")}`);
    const calls = reply({ id: "t1", tool: "Look", input: { value: "1" } }, { id: "t2", tool: "Change" }, { id: "t3", tool: "Look", input: { value: "2" } });
    const slow: ScriptedReply = async function* () {
      for (const event of calls) {
        if (event.type === "message_delta") {
          while (!order.includes("look 1")) await Promise.resolve();
          order.push("reply is whole");
        }
        yield event;
      }
    };
    const run = await runScriptedQuery([slow, reply("done")], { tools: [look, change] });
    expect(order).toEqual(["look 1", "reply is whole", "change", "look 2"]);
    expect(run.recorded[1]?.content.map((block) => (block.type === "tool_result" ? block.tool_use_id : block.type))).toEqual(["t1", "t2", "t3"]);
  });
});

describe("another model", () => {
  function fallback(replies: readonly (readonly ModelEvent[] | Error)[], seen: unknown[] = []): () => Promise<ModelClient> {
    return async () => ({
      model: "other",
      limits: { contextTokens: 200_000, outputTokensMax: 500 },
      async *stream(request) {
        seen.push(request);
        const answer = replies[seen.length - 1];
        if (answer === undefined || answer instanceof Error) throw answer ?? new Error("The test has no such reply");
        yield* answer;
      },
    });
  }

  test("is asked where the first is overloaded for good, and stays", async () => {
    const seen: { maxOutputTokens: number }[] = [];
    const run = await runScriptedQuery([overloaded(), overloaded()], {
      attemptsMax: 2,
      tools: [testTool("Echo", () => "x")],
      fallbacks: [fallback([reply({ id: "t1", tool: "Echo" }), reply("from the other")], seen)],
    });
    expect(run.stop).toEqual({ type: "end_turn", text: "from the other" });
    expect(actions(run)).toEqual(["api_retry", "model_fallback"]);
    expect(seen.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([500, 500]);
    expect(run.events.flatMap((event) => (event.type === "message_completed" ? [event.model] : []))).toEqual(["other", "other"]);
  });

  test("is asked where the first refuses to answer, without the thinking of the first (V-270)", async () => {
    const thinking: ModelEvent[] = [
      { type: "message_start", usage: {} },
      { type: "block_start", index: 0, block: { type: "thinking", thinking: "t", signature: "s" } },
      { type: "block_stop", index: 0 },
      { type: "block_start", index: 1, block: { type: "tool_use", id: "t1", name: "Echo" } },
      { type: "block_stop", index: 1 },
      { type: "message_delta", stopReason: "tool_use", usage: {} },
      { type: "message_stop" },
    ];
    const seen: { messages: readonly Message[] }[] = [];
    const run = await runScriptedQuery([thinking, replyEndingWith("refusal")], { tools: [testTool("Echo", () => "x")], fallbacks: [fallback([reply("yes")], seen)] });
    expect(run.stop).toEqual({ type: "end_turn", text: "yes" });
    expect(JSON.stringify(run.requests[1]?.messages)).toContain("thinking");
    expect(JSON.stringify(seen[0]?.messages)).not.toContain("thinking");
    expect(run.edits).toEqual([{ type: "drop_thinking" }]);
  });

  test("is not asked where the account or the request is refused", async () => {
    for (const errorClass of ["auth", "billing", "invalid"] as const) {
      const run = await runScriptedQuery([new ModelError(errorClass, "no")], { attemptsMax: 3, fallbacks: [fallback([reply("never")])] });
      expect(run.stop).toMatchObject({ type: "model_error", error: { class: errorClass } });
    }
  });

  test("a refusal with nobody else to ask is a clear end, and nothing of it stays (A100)", async () => {
    const run = await runScriptedQuery([replyEndingWith("refusal", "I can not")]);
    expect(run.stop).toEqual({ type: "refused", message: "The model refused to answer" });
    expect(run.recorded).toEqual([]);
  });
});

describe("a request that is refused for what it holds", () => {
  const refused = (said: string) => new ModelError("invalid", said, { said, status: 400 });

  test("is repaired once for each reason and told", async () => {
    const run = await runScriptedQuery([refused("cache_control: Extra inputs are not permitted"), reply("done")]);
    expect(run.stop.type).toBe("end_turn");
    expect(run.requests.map(({ without }) => without)).toEqual([undefined, ["cache_control"]]);
    expect(actions(run)).toEqual(["repair"]);
  });

  test("is not repaired twice for the same reason", async () => {
    const error = refused("messages.1.content.0: Invalid `signature` in `thinking` block");
    const withThinking: Message[] = [{ role: "user", content: [{ type: "text", text: "go" }] }, { role: "assistant", content: [{ type: "thinking", thinking: "t", signature: "x" }] }, { role: "user", content: [{ type: "text", text: "on" }] }];
    const run = await runScriptedQuery([error, error], { history: withThinking });
    expect([run.stop.type, run.requests.length]).toEqual(["model_error", 2]);
    expect(JSON.stringify(run.requests[1]?.messages)).not.toContain("signature");
  });

  test("a limit that the service names is kept from then on", async () => {
    const run = await runScriptedQuery([refused("max_tokens: 10000 > 4000, which is the maximum allowed number of output tokens"), reply({ id: "t1", tool: "Echo" }), reply("done")], { tools: [testTool("Echo", () => "x")], outputTokensMax: 10_000 });
    expect(run.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([10_000, 4_000, 4_000]);
  });
});

describe("a paused reply", () => {
  test("is sent back as it is until it goes on (V-271)", async () => {
    const run = await runScriptedQuery([replyEndingWith("pause_turn", "a"), replyEndingWith("pause_turn", "b"), reply("c")]);
    expect(run.stop.type).toBe("end_turn");
    expect(run.requests[2]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "assistant"]);
  });

  test("is given up after the fifth time", async () => {
    const run = await runScriptedQuery(Array(10).fill(replyEndingWith("pause_turn", "a")));
    expect(run.requests).toHaveLength(6);
    expect(run.stop).toMatchObject({ type: "output_limit", message: expect.stringContaining("paused its reply 6 times") });
  });
});

test("an empty reply to results is asked for once more, then it is an end without an answer (V-277)", async () => {
  const run = await runScriptedQuery([reply({ id: "t1", tool: "Echo" }), replyEndingWith("end_turn"), replyEndingWith("end_turn")], { tools: [testTool("Echo", () => "x")] });
  expect([run.stop, run.requests.length]).toEqual([{ type: "no_answer", message: expect.any(String) }, 3]);
});

test("a wait that the service asks for is waited only as long as the run may", async () => {
  const limited = () => new ModelError("rate_limit", "limited", { retryAfterMs: 120_000, status: 429 });
  expect((await runScriptedQuery([limited()], { attemptsMax: 3 })).stop).toMatchObject({ type: "model_error", error: { retryAfterMs: 120_000 } });
  const controller = new AbortController();
  const waiting = runScriptedQuery([limited(), reply("never")], { attemptsMax: 3, waitMsMax: 600_000, signal: controller.signal, onEvent: (event) => event.type === "api_retry" && controller.abort() });
  const run = await waiting;
  expect(run.events).toContainEqual({ type: "api_retry", attempt: 1, delayMs: 120_000, error: "limited" });
  expect(run.stop.type).toBe("aborted");
});

describe("a conversation that gets too long", () => {
  const tooLong = () => new ModelError("too_long", "prompt is too long: 300000 tokens > 200000 maximum", { status: 400 });
  const readAll = (count: number, bytes: number) => {
    const read = testTool("Read", () => "x".repeat(bytes), { isConcurrencySafe: true, maxResultBytes: bytes });
    const replies = Array.from({ length: count }, (_, index) => reply({ id: `t${index}`, tool: "Read" }));
    return { read, replies };
  };

  test("loses old results first, whole batches of them, the same on every later turn", async () => {
    const { read, replies } = readAll(30, 12_000);
    const run = await runScriptedQuery([...replies, reply("done")], { tools: [read], turnsMax: 50, limits: { contextTokens: 100_000 } });
    expect(run.stop).toEqual({ type: "end_turn", text: "done" });
    const compacted = run.events.filter((event) => event.type === "context_compacted");
    expect(compacted.length).toBeGreaterThan(0);
    expect(compacted.length).toBeLessThan(5);
    expect(compacted.every((event) => event.type === "context_compacted" && event.tokensAfter < event.tokensBefore)).toBe(true);
    const last = run.requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(last)).toContain(CLEARED_RESULT);
    for (const request of run.requests) expect(shapeFault(request.messages)).toBeUndefined();
  });

  test("is summarized where nothing can be had again, and keeps what was asked and the newest turns (A88, A89)", async () => {
    const say = testTool("Say", () => "y".repeat(12_000), { maxResultBytes: 12_000 });
    const turns = Array.from({ length: 14 }, (_, index) => reply({ id: `t${index}`, tool: "Say" }));
    const answers: ScriptedReply[] = [];
    let isAsked = false;
    const summarize: ScriptedReply = async function* (request) {
      const last = request.messages.at(-1);
      isAsked ||= last !== undefined && messageText(last).includes("write a summary");
      yield* isAsked && messageText(last as Message).includes("write a summary") ? reply("SUMMARY of what was done so far") : (turns.shift() ?? reply("done"));
    };
    for (let index = 0; index < 20; index++) answers.push(summarize);
    const run = await runScriptedQuery(answers, { tools: [say], turnsMax: 50, limits: { contextTokens: 60_000 }, outputTokensMax: 1_000 });
    expect(run.stop).toEqual({ type: "end_turn", text: "done" });
    const last = run.requests.at(-1)?.messages ?? [];
    expect(messageText(last[0] as Message)).toStartWith("go\n");
    expect(messageText(last[0] as Message)).toContain("SUMMARY of what was done so far");
    expect(last.length).toBeGreaterThan(2);
    for (const request of run.requests) expect(shapeFault(request.messages)).toBeUndefined();
  });

  test("is made shorter when the service says so, once more if need be, and else the run ends", async () => {
    const { read, replies } = readAll(5, 5_000);
    const helped = await runScriptedQuery([...replies, tooLong(), reply("done")], { tools: [read] });
    expect(helped.stop).toEqual({ type: "end_turn", text: "done" });
    expect(actions(helped)[0]).toBe("compact");

    const again = readAll(5, 5_000);
    const hopeless = await runScriptedQuery([...again.replies, ...Array.from({ length: 10 }, tooLong)], { tools: [again.read] });
    expect(hopeless.stop).toMatchObject({ type: "model_error", error: { class: "too_long" } });
    expect(hopeless.requests.length).toBeLessThan(12);
  });

  test("a summary that fails leaves the conversation as it was, and is not asked for at every turn (A88, A90)", async () => {
    const say = testTool("Say", () => "y".repeat(12_000), { maxResultBytes: 12_000 });
    const turns = Array.from({ length: 16 }, (_, index) => reply({ id: `t${index}`, tool: "Say" }));
    let summaries = 0;
    const answer: ScriptedReply = async function* (request) {
      if (messageText(request.messages.at(-1) as Message).includes("write a summary")) {
        summaries++;
        throw new ModelError("retryable", "overloaded", { status: 529 });
      }
      yield* turns.shift() ?? reply("done");
    };
    const run = await runScriptedQuery(Array(40).fill(answer), { tools: [say], turnsMax: 50, limits: { contextTokens: 60_000 } });
    expect([run.stop.type, summaries]).toEqual(["end_turn", 1]);
    expect(actions(run)).toContain("compaction_failed");
    for (const request of run.requests) expect(shapeFault(request.messages)).toBeUndefined();
  });

  test("no cut parts a call from its result, wherever it falls (A89)", async () => {
    for (const bytes of [3_000, 5_000, 8_000, 11_000]) {
      const say = testTool("Say", () => "y".repeat(bytes), { maxResultBytes: bytes });
      const turns = Array.from({ length: 30 }, (_, index) => reply(`text ${index}`, { id: `a${index}`, tool: "Say" }, { id: `b${index}`, tool: "Say" }));
      const answer: ScriptedReply = async function* (request) {
        yield* messageText(request.messages.at(-1) as Message).includes("write a summary") ? reply("A summary of everything") : (turns.shift() ?? reply("done"));
      };
      const run = await runScriptedQuery(Array(60).fill(answer), { tools: [say], turnsMax: 50, limits: { contextTokens: 50_000 } });
      expect(run.stop.type).toBe("end_turn");
      for (const request of run.requests) expect(shapeFault(request.messages)).toBeUndefined();
      const calls = run.requests.at(-1)?.messages.flatMap((message) => (message.role === "assistant" ? toolUses(message) : [])) ?? [];
      expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
    }
  });
});
