import { describe, expect, test } from "bun:test";
import { admitRequest, NO_AMOUNT, OUTPUT_TOKENS_MIN, type BudgetStand, type RequestAmounts } from "../../src/engine/admit-request.ts";
import { amountOf, cachedTokensAfter, requestAmounts } from "../../src/engine/request-amounts.ts";

const PRICES = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };

function stand(changes: Partial<BudgetStand> = {}): BudgetStand {
  return { limits: {}, spent: NO_AMOUNT, reserved: NO_AMOUNT, requestsInFlight: 0, ...changes };
}

function request(changes: Partial<RequestAmounts> = {}): RequestAmounts {
  const prompt = { usd: 0.1, tokens: 10_000 };
  return { prompt, promptExpected: prompt, perOutputToken: { usd: 0.000_01, tokens: 1 }, outputTokensMax: 8_000, ...changes };
}

describe("a request is", () => {
  test.each<[what: string, Partial<RequestAmounts>, Partial<BudgetStand>, expected: object]>([
    ["granted whole without limits", {}, {}, { type: "granted", outputTokensMax: 8_000 }],
    ["granted whole where there is room", {}, { limits: { usd: 0.180_001, tokens: 18_000 } }, { type: "granted", outputTokensMax: 8_000 }],
    ["clamped to what is left of the tokens", {}, { limits: { tokens: 15_000 } }, { type: "granted", outputTokensMax: 5_000 }],
    ["clamped to what is left of the dollars", {}, { limits: { usd: 0.150_001, tokens: 17_000 } }, { type: "granted", outputTokensMax: 5_000 }],
    ["clamped by what others have reserved", {}, { limits: { tokens: 20_000 }, reserved: { usd: 0, tokens: 6_000 }, requestsInFlight: 1 }, { type: "granted", outputTokensMax: 4_000 }],
    ["granted down to the floor", {}, { limits: { tokens: 10_000 + OUTPUT_TOKENS_MIN } }, { type: "granted", outputTokensMax: OUTPUT_TOKENS_MIN }],
    ["refused below the floor", {}, { limits: { tokens: 10_000 + OUTPUT_TOKENS_MIN - 1 } }, { type: "exhausted", scope: "tokens" }],
    ["granted below the floor where it asks for less", { outputTokensMax: 100 }, { limits: { tokens: 10_100 } }, { type: "granted", outputTokensMax: 100 }],
    ["refused when all is spent", {}, { limits: { usd: 1 }, spent: { usd: 1, tokens: 0 } }, { type: "exhausted", scope: "usd" }],
    ["refused when more than all is spent", { perOutputToken: NO_AMOUNT, prompt: NO_AMOUNT, promptExpected: NO_AMOUNT }, { limits: { usd: 1 }, spent: { usd: 1.1, tokens: 0 } }, { type: "exhausted", scope: "usd" }],
    ["told to wait while others are on their way", {}, { limits: { tokens: 15_000 }, reserved: { usd: 0, tokens: 5_000 }, requestsInFlight: 1 }, { type: "wait" }],
    ["granted alone where it fits as things go", { promptExpected: { usd: 0.01, tokens: 500 } }, { limits: { tokens: 6_000 } }, { type: "granted", outputTokensMax: 5_500 }],
    ["told to wait where it would fit alone only", { promptExpected: { usd: 0.01, tokens: 500 } }, { limits: { tokens: 6_000 }, requestsInFlight: 1 }, { type: "wait" }],
    ["refused while others are on their way where what is spent leaves no room, however they end", {}, { limits: { tokens: 15_000 }, spent: { usd: 0, tokens: 14_900 }, reserved: { usd: 0, tokens: 50 }, requestsInFlight: 1 }, { type: "exhausted", scope: "tokens" }],
    ["granted where it is free", { prompt: { usd: 0, tokens: 9 }, perOutputToken: { usd: 0, tokens: 1 } }, { limits: { usd: 0.01 } }, { type: "granted", outputTokensMax: 8_000 }],
  ])("%s", (_what, changes, at, expected) => {
    expect(admitRequest(request(changes), stand(at))).toMatchObject(expected);
  });

  test("reserved for at worst, whatever is expected", () => {
    const granted = admitRequest(request({ promptExpected: { usd: 0.01, tokens: 500 } }), stand({ limits: { tokens: 6_000 } }));
    expect(granted).toMatchObject({ reserved: { usd: expect.closeTo(0.1 + 0.055, 10), tokens: 15_500 } });
  });
});

describe("what a request takes", () => {
  test("is the dearest price of its prompt, and its whole estimate and more where estimates were too low", () => {
    const amounts = requestAmounts({ model: "m", promptTokens: 1_000, outputTokensMax: 50 }, { prices: PRICES, underestimate: 1.5, cachedTokens: 0 });
    expect(amounts.prompt).toEqual({ usd: 0.003_75, tokens: 1_500 });
    expect(amounts.promptExpected).toEqual({ usd: 1_000 * 0.000_002_5, tokens: 1_000 });
    expect(amounts.perOutputToken).toEqual({ usd: 0.000_01, tokens: 1 });
  });

  test("is expected to come from the cache as far as the one before left it there", () => {
    const cachedTokens = cachedTokensAfter({ input: 10, output: 500, cacheRead: 900, cacheWrite: 90 });
    const amounts = requestAmounts({ model: "m", promptTokens: 1_200, outputTokensMax: 50 }, { prices: PRICES, underestimate: 1, cachedTokens });
    expect(amounts.promptExpected).toEqual({ usd: expect.closeTo(210 * 0.000_002_5 + 990 * 0.000_000_2, 12), tokens: 210 });
  });

  test("in the end, counts all but what came from the cache, and has the price of each kind", () => {
    const taken = amountOf({ input: 1_000, output: 100, cacheRead: 10_000, cacheWrite: 2_000 }, PRICES);
    expect(taken.tokens).toBe(3_100);
    expect(taken.usd).toBeCloseTo(0.002 + 0.001 + 0.002 + 0.005, 10);
  });
});
