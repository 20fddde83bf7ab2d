import { describe, expect, test } from "bun:test";
import type { BudgetLimits, BudgetUse } from "../../src/core/token-budget.ts";
import { userText } from "../../src/core/message.ts";
import { shapeFault } from "../../src/model/conversation-shape.ts";
import { limitCalls } from "../../src/agent/limit-calls.ts";
import { createRunBudget } from "../../src/engine/run-budget.ts";
import { reply, replyEndingWith, runScriptedQuery, testTool } from "../support/scripted-query.ts";
import { thrownBy } from "../support/thrown.ts";
import { ModelError, type ModelClient, type ModelRequest } from "../../src/model/client.ts";

function budgetOf(limits: BudgetLimits) {
  const exceeded: BudgetUse[] = [];
  const prices = { test: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 } };
  return { exceeded, budget: createRunBudget({ limits, prices, onWarning: () => undefined, onExceeded: (use) => exceeded.push(use) }) };
}

describe("a loop with a budget of tokens", () => {
  test("asks for no longer a reply than there is room for, and ends with what was said when none is left", async () => {
    const { budget, exceeded } = budgetOf({ tokens: 1_000 });
    const long = [...replyEndingWith("max_tokens", "as far as it got").slice(0, -2), { type: "message_delta", stopReason: "max_tokens", usage: { output: 900 } }, { type: "message_stop" }] as const;
    const run = await runScriptedQuery([long], { budget });
    expect(run.requests).toHaveLength(1);
    expect(run.requests[0]?.maxOutputTokens).toBeWithin(900, 1_000);
    expect(run.stop).toMatchObject({ type: "budget", scope: "tokens", message: expect.stringContaining("--max-tokens") });
    expect(run.recorded.map(({ content }) => content)).toContainEqual([{ type: "text", text: "as far as it got" }]);
    expect(exceeded).toEqual([{ scope: "tokens", used: 910, limit: 1_000 }]);
  });

  test("makes no request where not even the prompt fits", async () => {
    const run = await runScriptedQuery([], { budget: budgetOf({ tokens: 20 }).budget });
    expect([run.requests.length, run.stop.type]).toEqual([0, "budget"]);
  });

  test("gives back what it had reserved when it is stopped in the middle of a reply", async () => {
    const { budget } = budgetOf({ tokens: 2_000 });
    const controller = new AbortController();
    const run = await runScriptedQuery(
      [
        async function* () {
          yield { type: "message_start", usage: { input: 5 } };
          controller.abort("enough");
          throw new ModelError("aborted", "stopped");
        },
      ],
      { budget, signal: controller.signal },
    );
    expect(run.stop).toEqual({ type: "aborted", reason: "enough" });
    expect(await budget.reserve({ model: "test", promptTokens: 1_000, outputTokensMax: 900 }, new AbortController().signal)).toMatchObject({ outputTokensMax: 900 });
  });

  test("gives it back when a defect ends it, so that nobody waits for it", async () => {
    const { budget } = budgetOf({ tokens: 2_000 });
    expect(await thrownBy(() => runScriptedQuery([], { budget }))).toMatchObject({ message: "The test has no reply 1" });
    expect(await budget.reserve({ model: "test", promptTokens: 1_000, outputTokensMax: 900 }, new AbortController().signal)).toMatchObject({ outputTokensMax: 900 });
  });
});

describe("a loop with a limit of calls", () => {
  test("runs as many as there are, answers the rest, and ends", async () => {
    const { budget, exceeded } = budgetOf({ toolCalls: 3 });
    const controller = new AbortController();
    const ran: string[] = [];
    const tool = testTool("Note", ({ value = "" }) => {
      ran.push(value);
      return "noted";
    });
    const call = (value: string) => ({ id: `t${value}`, tool: "Note", input: { value } });
    const run = await runScriptedQuery([reply(call("1")), reply("more", call("2"), call("3"), call("4"), call("5"))], {
      tools: [tool],
      startsCallsEarly: false,
      runCalls: limitCalls({ take: budget.takeToolCalls, onExceeded: () => controller.abort("no more calls") }),
      signal: controller.signal,
    });
    expect(ran).toEqual(["1", "2", "3"]);
    expect(run.stop).toEqual({ type: "aborted", reason: "no more calls" });
    expect(exceeded).toEqual([{ scope: "tool_calls", used: 3, limit: 3 }]);
    expect(shapeFault([userText("go"), ...run.recorded])).toBeUndefined();
    expect(run.recorded.at(-1)?.content.map((block) => (block.type === "tool_result" ? block.is_error === true : block))).toEqual([false, false, true, true]);
  });

  test("lets an agent that made all of them have the last word", async () => {
    const { budget } = budgetOf({ toolCalls: 1 });
    const run = await runScriptedQuery([reply({ id: "t1", tool: "Note" }), reply("done")], {
      tools: [testTool("Note", () => "noted")],
      runCalls: limitCalls({ take: budget.takeToolCalls, onExceeded: () => undefined }),
    });
    expect(run.stop).toEqual({ type: "end_turn", text: "done" });
  });
});

describe("a limit of the service", () => {
  const limited = (retryAfterMs: number) => new ModelError("rate_limit", "limit reached", { status: 429, retryAfterMs });

  test("that resets later than a minute is waited for where it was asked for", async () => {
    const delays: number[] = [];
    const controller = new AbortController();
    const run = await runScriptedQuery([limited(3_600_000)], {
      attemptsMax: 5,
      waitMsMax: 7_200_000,
      signal: controller.signal,
      onEvent(event) {
        if (event.type !== "api_retry") return;
        delays.push(event.delayMs);
        controller.abort("seen");
      },
    });
    expect([delays, run.stop.type]).toEqual([[3_600_000], "aborted"]);
  });

  test("is not waited for so long while there is another model", async () => {
    const requests: ModelRequest[] = [];
    const other: ModelClient = {
      model: "other",
      limits: { contextTokens: 200_000, outputTokensMax: 32_000 },
      async *stream(request) {
        requests.push(request);
        yield* reply("from the other");
      },
    };
    const run = await runScriptedQuery([limited(3_600_000)], { attemptsMax: 5, waitMsMax: 7_200_000, fallbacks: [async () => other] });
    expect([run.stop, requests.length]).toEqual([{ type: "end_turn", text: "from the other" }, 1]);
  });
});
