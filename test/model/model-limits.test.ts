import { expect, test } from "bun:test";
import { MODEL_ALIASES } from "../../src/model/aliases.ts";
import { modelLimits } from "../../src/model/model-limits.ts";
import { takesParameter } from "../../src/model/model-traits.ts";

test.each([
  ["claude-opus-5-5", 1_000_000, 128_000],
  ["claude-sonnet-4-6", 1_000_000, 128_000],
  ["claude-haiku-4-5", 200_000, 64_000],
  ["claude-haiku-4-5-20251001", 200_000, 64_000],
  ["claude-opus-4-5-20251101", 200_000, 64_000],
  ["qwen3-coder", 200_000, 32_000],
  ["claude-opus-5-5-preview", 200_000, 32_000],
  ["toString", 200_000, 32_000],
  ["scripted:demo", 200_000, 32_000],
])("%s holds %i tokens and writes %i", (model, contextTokens, outputTokensMax) => {
  expect(modelLimits(model)).toEqual({ contextTokens, outputTokensMax });
});

test("the limits of every model that has an alias are known", () => {
  for (const model of Object.values(MODEL_ALIASES)) expect(modelLimits(model).contextTokens).toBe(1_000_000);
});

test("a model takes every parameter unless it is known not to", () => {
  const taking = ["claude-opus-5-5", "claude-haiku-5-5", "claude-sonnet-4-5-20250929", "claude-sonnet-5", "qwen3"];
  expect(taking.map((model) => takesParameter(model, "task_budget"))).toEqual([true, true, false, false, true]);
  expect(taking.every((model) => takesParameter(model, "cache_control"))).toBe(true);
});
