import { describe, expect, test } from "bun:test";
import type { Settings } from "../../../src/core/settings.ts";
import type { ArgumentValues } from "../../../src/cli/command.ts";
import { parseArguments } from "../../../src/cli/parse-arguments.ts";
import { RUN_ARGUMENTS } from "../../../src/cli/run/arguments.ts";
import { resolveLimits } from "../../../src/cli/run/resolve-limits.ts";
import { resolveSpending } from "../../../src/cli/run/resolve-spending.ts";
import type { SavedLimits } from "../../../src/runtime/saved-limits.ts";
import { appErrorOf } from "../../support/thrown.ts";

const OWN = { input: 1, output: 2, cacheRead: 0, cacheWrite: 1 };

function spend(argv: readonly string[], { env = {}, settings = {}, saved, model = "claude-sonnet-5-5" }: { env?: Record<string, string>; settings?: Partial<Settings>; saved?: SavedLimits; model?: string } = {}) {
  const values = parseArguments("run", RUN_ARGUMENTS, argv, env).values as ArgumentValues<typeof RUN_ARGUMENTS>;
  const all: Settings = { modelAliases: {}, rules: [], ceilings: {}, ...settings };
  const { limits, warnings } = resolveLimits({ values, env, settings: all, saved });
  return { ...resolveSpending({ values, limits, settings: all, saved, model, check: () => [] }).spending, idleTimeoutMs: limits.idleTimeoutMs, warnings };
}

describe("what a run may spend", () => {
  test("is anything unless told", () => {
    expect(spend([])).toEqual({ idleTimeoutMs: undefined, warnings: [] });
  });

  test("comes from flags and from variables", () => {
    const flags = ["--max-budget-usd", "0.50", "--max-tokens=9000", "--max-tool-calls", "3", "--idle-timeout", "90", "--task-budget", "20000", "--fallback-model", "haiku, claude-opus-5"];
    const expected = { budget: { usd: 0.5, tokens: 9_000, toolCalls: 3 }, taskBudgetTokens: 20_000, fallbackModels: ["claude-haiku-5-5", "claude-opus-5"], idleTimeoutMs: 90_000 };
    expect(spend(flags)).toMatchObject(expected);
    const env = { AGENT_MAX_BUDGET_USD: ".5", AGENT_MAX_TOKENS: "9000", AGENT_MAX_TOOL_CALLS: "3", AGENT_IDLE_TIMEOUT: "90s", AGENT_TASK_BUDGET: "20000", AGENT_FALLBACK_MODEL: "haiku,claude-opus-5" };
    expect(spend([], { env })).toMatchObject(expected);
  });

  test("of a conversation that is gone on with is what it was, unless told; it goes before settings", () => {
    const saved = { budgetUsdMax: 2, toolCallsMax: 7, idleTimeoutMs: 5_000, waitForLimitMs: 9_000, taskBudgetTokens: 30_000, fallbackModels: ["claude-opus-5"] };
    const settings = { budgetUsdMax: 1, budgetTokensMax: 4, fallbackModels: ["haiku"] };
    expect(spend(["--max-tool-calls", "9"], { saved, settings })).toMatchObject({
      budget: { usd: 2, tokens: 4, toolCalls: 9 },
      idleTimeoutMs: 5_000,
      waitMsMax: 9_000,
      taskBudgetTokens: 30_000,
      fallbackModels: ["claude-opus-5"],
    });
  });

  test("stays within what the administrator allows, also where nothing was asked for", () => {
    const settings = { ceilings: { budgetUsdMax: 1, idleTimeoutMs: 1_000 } };
    expect(spend(["--max-budget-usd", "5"], { settings })).toMatchObject({
      budget: { usd: 1 },
      idleTimeoutMs: 1_000,
      warnings: ["--max-budget-usd was lowered to what the administrator allows: 1"],
    });
  });

  test.each([
    [["--wait-for-limit"], 2_073_600_000],
    [["--wait-for-limit", "a prompt"], 2_073_600_000],
    [["--wait-for-limit", "2h", "a prompt"], 7_200_000],
    [["--wait-for-limit=2h"], 7_200_000],
  ])("%j waits for a limit of the service as long as it says", (argv, waitMsMax) => {
    expect(spend(argv)).toMatchObject({ waitMsMax });
  });

  test("a model falls back on others alone, each once", () => {
    expect(spend(["--fallback-model", "sonnet,haiku,claude-haiku-5-5"])).toMatchObject({ fallbackModels: ["claude-haiku-5-5"] });
  });
});

describe("a limit in dollars", () => {
  test.each([
    ["the model", [], "claude-unknown"],
    ["a fallback", ["--fallback-model", "claude-unknown"], "claude-sonnet-5-5"],
  ])("needs the price of %s", async (_what, argv, model) => {
    const error = await appErrorOf(() => spend(["--max-budget-usd", "1", ...argv], { model }));
    expect(error).toMatchObject({ reason: "usage", code: "unknown_price", message: expect.stringMatching(/"claude-unknown" is not known.*config set 'prices\.claude-unknown'/) });
    expect(spend(["--max-budget-usd", "1", ...argv], { model, settings: { prices: { "claude-unknown": OWN } } })).toMatchObject({ prices: { "claude-unknown": OWN } });
    expect(spend(["--max-tokens", "1", ...argv], { model })).toMatchObject({ budget: { tokens: 1 } });
  });

  test("is fine with a script, which costs nothing", () => {
    expect(spend(["--max-budget-usd", "1"], { model: "scripted:demo" })).toMatchObject({ budget: { usd: 1 } });
  });
});

test.each([
  [["--max-budget-usd", "0"], "--max-budget-usd"],
  [["--max-budget-usd", "$5"], "--max-budget-usd"],
  [["--max-budget-usd", "1e3"], "--max-budget-usd"],
  [["--max-tokens", "-1"], "--max-tokens"],
  [["--max-tool-calls", "0"], "--max-tool-calls"],
  [["--idle-timeout", "soon"], "--idle-timeout"],
  [["--task-budget", "19999"], "--task-budget"],
  [["--wait-for-limit=later"], "--wait-for-limit"],
  [["--fallback-model", "haiku,,opus"], "--fallback-model"],
])("%j is refused", async (argv, flag) => {
  const error = await appErrorOf(() => spend(argv));
  expect(error.reason).toBe("usage");
  expect(error.message).toContain(flag);
});
