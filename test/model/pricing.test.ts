import { describe, expect, test } from "bun:test";
import { priceOf } from "../../src/model/pricing.ts";

const MILLION = 1_000_000;
const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

test("a reply costs its tokens of each kind at the list price", () => {
  const usage = { input: MILLION, output: MILLION, cacheRead: MILLION, cacheWrite: MILLION };
  expect(priceOf("claude-opus-5-5", usage)).toEqual({ usd: 4 + 20 + 0.2 + 5, estimated: true });
  expect(priceOf("claude-opus-5-5", { ...NOTHING, output: 500 })).toEqual({ usd: 0.01, estimated: true });
});

test("a dated id has the price of its model", () => {
  expect(priceOf("claude-haiku-4-5-20251001", { ...NOTHING, input: MILLION })).toEqual({ usd: 1, estimated: true });
});

test("a long prompt is charged by its own rates, cached parts counted", () => {
  const short = { input: 40_000, output: 0, cacheRead: 60_000, cacheWrite: 0 };
  expect(priceOf("claude-haiku-5-5", short).usd).toBeCloseTo(0.0046, 10);
  expect(priceOf("claude-haiku-5-5", { ...short, cacheRead: 60_001 }).usd).toBeCloseTo(0.02300005, 10);
  expect(priceOf("claude-haiku-5-5", { ...short, output: MILLION }).usd).toBeCloseTo(0.5046, 10);
});

test.each(["qwen3", "claude-opus-9", "toString", "claude-mythos-preview"])("%s has no known price, and none is made up", (model) => {
  expect(priceOf(model, { ...NOTHING, input: MILLION })).toEqual({ usd: null, estimated: false });
});

test("a scripted model is free", () => {
  expect(priceOf("scripted:demo", { ...NOTHING, input: MILLION })).toEqual({ usd: 0, estimated: false });
});

describe("the user's own prices", () => {
  const own = { input: 1, output: 2, cacheRead: 0.5, cacheWrite: 3 };
  const usage = { input: MILLION, output: MILLION, cacheRead: MILLION, cacheWrite: MILLION };

  test("go before the list, by id and by family", () => {
    expect(priceOf("qwen3", usage, { qwen3: own })).toEqual({ usd: 6.5, estimated: true });
    expect(priceOf("claude-opus-5-5", usage, { "claude-opus-5-5": own }).usd).toBe(6.5);
    expect(priceOf("claude-haiku-4-5-20251001", usage, { "claude-haiku-4-5": own }).usd).toBe(6.5);
    expect(priceOf("claude-haiku-4-5-20251001", usage, { "claude-haiku-4-5": own, "claude-haiku-4-5-20251001": { ...own, input: 2 } }).usd).toBe(7.5);
  });

  test("of one model say nothing of others", () => {
    expect(priceOf("claude-opus-5-5", usage, { qwen3: own })).toEqual(priceOf("claude-opus-5-5", usage));
    expect(priceOf("toString", usage, { qwen3: own }).usd).toBeNull();
  });
});
