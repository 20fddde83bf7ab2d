import { describe, expect, test } from "bun:test";
import type { BudgetAnswer, BudgetLimits, BudgetUse } from "../../src/core/token-budget.ts";
import { NO_USAGE, type Usage } from "../../src/core/usage.ts";
import { createRunBudget } from "../../src/engine/run-budget.ts";

const PRICES = { m: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 } };
const never = new AbortController().signal;

function ledger(limits: BudgetLimits) {
  const warnings: BudgetUse[] = [];
  const exceeded: BudgetUse[] = [];
  const budget = createRunBudget({ limits, prices: PRICES, onWarning: (use) => warnings.push(use), onExceeded: (use) => exceeded.push(use) });
  const ask = (promptTokens: number, outputTokensMax: number, signal = never) => budget.reserve({ model: "m", promptTokens, outputTokensMax }, signal);
  return { ...budget, warnings, exceeded, ask };
}

function granted(answer: BudgetAnswer): Extract<BudgetAnswer, { type: "granted" }> {
  if (answer.type !== "granted") throw new Error(answer.message);
  return answer;
}

const usage = (input: number, output: number, changes: Partial<Usage> = {}): Usage => ({ ...NO_USAGE, input, output, ...changes });
const isPending = async (promise: Promise<unknown>) => (await Promise.race([promise, Bun.sleep(1).then(() => "pending")])) === "pending";

describe("a request that finds no room", () => {
  test("is granted what another has left over", async () => {
    const { ask } = ledger({ tokens: 10_000 });
    const first = granted(await ask(1_000, 8_000));
    const second = ask(1_000, 8_000);
    expect(await isPending(second)).toBe(true);
    first.settle(usage(1_000, 500));
    expect(granted(await second).outputTokensMax).toBe(7_500);
  });

  test("is refused when nothing is left, and says which limit it is and what would raise it", async () => {
    const { ask, exceeded } = ledger({ tokens: 10_000 });
    const first = granted(await ask(1_000, 8_000));
    const second = ask(1_000, 8_000);
    first.settle(usage(1_000, 8_000));
    expect(await second).toEqual({
      type: "exhausted",
      scope: "tokens",
      message: "The budget is used up: 9,000 of 10,000 tokens used, and the rest does not suffice for another request; --max-tokens allows more",
    });
    expect(exceeded).toEqual([{ scope: "tokens", used: 9_000, limit: 10_000 }]);
  });

  test("waits behind those that came before it", async () => {
    const { ask } = ledger({ tokens: 10_000 });
    const first = granted(await ask(1_000, 8_000));
    const large = ask(5_000, 4_000);
    const small = ask(100, 300);
    expect(await isPending(small)).toBe(true);
    first.settle(usage(1_000, 0));
    expect(granted(await large).outputTokensMax).toBe(4_000);
    expect(await isPending(small)).toBe(true);
  });

  test("can be stopped, and then lets the next one pass", async () => {
    const { ask } = ledger({ tokens: 10_000 });
    granted(await ask(1_000, 8_000));
    const controller = new AbortController();
    const large = ask(5_000, 4_000, controller.signal);
    const small = ask(100, 300);
    controller.abort();
    expect(await large).toMatchObject({ type: "exhausted" });
    expect(granted(await small).outputTokensMax).toBe(300);
    expect(await ask(5_000, 4_000, controller.signal)).toMatchObject({ type: "exhausted" });
  });
});

test("giving back twice gives back once", async () => {
  const { ask } = ledger({ tokens: 10_000 });
  const first = granted(await ask(1_000, 8_000));
  first.settle(usage(1_000, 1_000));
  first.settle(usage(1_000, 1_000));
  expect(granted(await ask(1_000, 9_000)).outputTokensMax).toBe(7_000);
});

test("a long conversation from the cache spends its budget to the end", async () => {
  const { ask } = ledger({ usd: 0.5 });
  // A prompt of 100,000 tokens is 0.25 dollars at worst, and 0.02 from the cache.
  let requests = 0;
  for (let answer = await ask(100_000, 2_000); answer.type === "granted"; answer = await ask(100_000, 2_000)) {
    requests++;
    answer.settle(requests === 1 ? usage(0, 500, { cacheWrite: 100_000 }) : usage(0, 500, { cacheRead: 100_000 }));
  }
  expect(requests).toBe(10);
});

test("four fifths of each limit are told once", async () => {
  const { ask, charge, takeToolCalls, warnings } = ledger({ usd: 1, tokens: 1_000_000, toolCalls: 5 });
  granted(await ask(1_000, 1_000)).settle(usage(0, 79_999));
  expect(warnings).toEqual([]);
  charge("m", usage(0, 1));
  charge("m", usage(0, 1));
  expect(warnings).toEqual([{ scope: "usd", used: expect.closeTo(0.8, 4), limit: 1 }]);
  expect([takeToolCalls(3), takeToolCalls(1), takeToolCalls(3), takeToolCalls(1)]).toEqual([3, 1, 1, 0]);
  expect(warnings.map(({ scope, used }) => [scope, used])).toEqual([["usd", expect.anything()], ["tool_calls", 4]]);
});

test("a limit in dollars refuses a model whose price is not known; other limits do not", async () => {
  const request = { model: "no-such", promptTokens: 10, outputTokensMax: 10 };
  expect(await ledger({ usd: 1 }).reserve(request, never)).toMatchObject({ type: "exhausted", message: expect.stringContaining('"no-such"') });
  expect(await ledger({ tokens: 1_000 }).reserve(request, never)).toMatchObject({ type: "granted" });
});

describe("requests side by side", () => {
  /** A generator of numbers in [0, 1) that is the same for the same seed. */
  function randomOf(seed: number): () => number {
    let state = seed;
    return () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }

  test.each(Array.from({ length: 60 }, (_, seed) => [seed]))("overshoot by no more than one reply, and none waits for ever (seed %d)", async (seed) => {
    const random = randomOf(seed + 1);
    const scope = seed % 2 === 0 ? "tokens" : "usd";
    const limit = scope === "tokens" ? 20_000 + Math.floor(random() * 200_000) : 0.05 + random();
    const { ask, exceeded } = ledger({ [scope]: limit });
    const spent = { tokens: 0, usd: 0 };
    let largest = 0;
    let inFlight = 0;
    const agents = Array.from({ length: 2 + Math.floor(random() * 40) }, async () => {
      const controller = new AbortController();
      for (let turn = 0; turn < 20; turn++) {
        const promptTokens = 100 + Math.floor(random() * 8_000);
        if (random() < 0.05) setTimeout(() => controller.abort(), random() * 3);
        const answer = await ask(promptTokens, 300 + Math.floor(random() * 8_000), controller.signal);
        if (answer.type === "exhausted") return;
        inFlight++;
        await Bun.sleep(random() * 2);
        inFlight--;
        // Estimates are right or too high; some of the prompt may come from the cache, and replies may fail or be cut.
        const prompt = Math.floor(promptTokens * (0.5 + random() * 0.5));
        const cached = random() < 0.5 ? Math.floor(prompt * random()) : 0;
        const real = random() < 0.1 ? NO_USAGE : { input: 0, cacheWrite: prompt - cached, cacheRead: cached, output: Math.floor(answer.outputTokensMax * (random() < 0.3 ? 1 : random())) };
        const cost = { tokens: real.cacheWrite + real.output, usd: (real.cacheWrite * 2.5 + real.cacheRead * 0.2 + real.output * 10) / 1_000_000 };
        largest = Math.max(largest, cost[scope]);
        spent.tokens += cost.tokens;
        spent.usd += cost.usd;
        answer.settle(real);
        if (controller.signal.aborted) return;
      }
    });
    await Promise.all(agents);
    expect(inFlight).toBe(0);
    expect(spent[scope] - limit).toBeLessThanOrEqual(largest);
    expect(exceeded.length).toBeLessThanOrEqual(1);
  });

  test("that were all estimated too low overshoot by little once one has taught how much", async () => {
    const { ask } = ledger({ tokens: 100_000 });
    const first = granted(await ask(2_000, 500));
    first.settle(usage(3_000, 100));
    let spent = 3_100;
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        for (;;) {
          const answer = await ask(2_000, 500);
          if (answer.type === "exhausted") return;
          await Bun.sleep(0);
          answer.settle(usage(3_000, 500));
          spent += 3_500;
        }
      }),
    );
    expect(spent).toBeLessThanOrEqual(100_000 + 3_500);
    expect(spent).toBeGreaterThan(90_000);
  });
});
