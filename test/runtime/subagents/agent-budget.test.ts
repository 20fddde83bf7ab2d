import { describe, expect, test } from "bun:test";
import { NO_USAGE } from "../../../src/core/usage.ts";
import { createRunBudget } from "../../../src/engine/run-budget.ts";
import { createAgentBudget } from "../../../src/runtime/subagents/agent-budget.ts";

const never = () => new AbortController().signal;
const REQUEST = { model: "m", promptTokens: 10, outputTokensMax: 10 };

function runBudget(tokens: number) {
  return createRunBudget({ limits: { tokens }, prices: {}, onWarning: () => undefined, onExceeded: () => undefined });
}

describe("the budget of an agent", () => {
  test("is spent together with the one above it", async () => {
    const outer = runBudget(1_000);
    const budget = createAgentBudget({ limits: { tokens: 100 }, prices: {}, outer });
    for (let spent = 0; spent < 90; spent += 30) {
      const answer = await budget.reserve(REQUEST, never());
      if (answer.type === "granted") answer.settle({ ...NO_USAGE, input: 20, output: 10 });
      expect(answer.type).toBe("granted");
    }
    expect(await budget.reserve({ ...REQUEST, promptTokens: 20 }, never())).toMatchObject({ type: "exhausted", message: expect.stringContaining("own budget") });
    expect((await outer.reserve({ ...REQUEST, promptTokens: 900 }, never())).type).toBe("granted");
    expect((await outer.reserve({ ...REQUEST, promptTokens: 900 }, AbortSignal.abort())).type).toBe("exhausted");
  });

  test("is not touched where there is no room above", async () => {
    const outer = runBudget(15);
    const budget = createAgentBudget({ limits: { tokens: 100 }, prices: {}, outer });
    expect(await budget.reserve({ ...REQUEST, promptTokens: 20 }, never())).toMatchObject({ type: "exhausted" });
    const alone = createAgentBudget({ limits: { tokens: 100 }, prices: {}, outer: undefined });
    const answer = await alone.reserve({ ...REQUEST, promptTokens: 80 }, never());
    expect(answer).toMatchObject({ type: "granted", outputTokensMax: 10 });
  });

  test("counts summaries, and so does every one above it", async () => {
    const above = createAgentBudget({ limits: { tokens: 100 }, prices: {}, outer: undefined });
    const budget = createAgentBudget({ limits: { tokens: 1_000 }, prices: {}, outer: above });
    budget.note({ type: "side_request", purpose: "summary", model: "m", usage: { ...NO_USAGE, input: 95 }, apiDurationMs: 1 });
    expect(await above.reserve(REQUEST, never())).toMatchObject({ type: "exhausted" });
  });
});
