import { describe, expect, test } from "bun:test";
import type { Settings } from "../../../src/core/settings.ts";
import { parseArguments } from "../../../src/cli/parse-arguments.ts";
import { resolveLimits } from "../../../src/cli/run/resolve-limits.ts";
import { RUN_ARGUMENTS } from "../../../src/cli/run/arguments.ts";
import { appErrorOf } from "../../support/thrown.ts";

const BUILT_IN = { permissionMode: "default", turnsMax: 500, timeoutMs: undefined, outputBytesMax: 67_108_864, runOutputBytesMax: 1_073_741_824, outputTokensMax: 32_000, apiAttemptsMax: 5 };

describe("limits", () => {
  test("are the built-in ones where nobody sets any", () => {
    expect(resolve({})).toEqual({ limits: BUILT_IN, warnings: [] } as never);
  });

  test("come from settings, and flags and variables go before them", () => {
    const settings = { turnsMax: 7, timeoutMs: 1_000, permissionMode: "plan" } as const;
    expect(resolve({ settings }).limits).toMatchObject(settings);
    expect(resolve({ settings, argv: ["--max-turns", "9", "--timeout=2", "--permission-mode", "acceptEdits"] }).limits).toMatchObject({
      turnsMax: 9,
      timeoutMs: 2_000,
      permissionMode: "acceptEdits",
    });
    expect(resolve({ settings, env: { AGENT_MAX_TURNS: "8", AGENT_API_ATTEMPTS: "1" } }).limits).toMatchObject({ turnsMax: 8, apiAttemptsMax: 1 });
  });

  test("stay within what the administrator allows, and a flag that was lowered is told", () => {
    const settings = { ceilings: { turnsMax: 10, timeoutMs: 60_000, permissionMode: "default" } } as const;
    expect(resolve({ settings, argv: ["--max-turns=11", "--permission-mode=bypassPermissions"] })).toMatchObject({
      limits: { turnsMax: 10, timeoutMs: 60_000, permissionMode: "default" },
      warnings: [
        "--permission-mode was lowered to what the administrator allows: default",
        "--max-turns was lowered to what the administrator allows: 10",
      ],
    });
  });
});

test.each([
  [["--max-turns", "0"], "--max-turns"],
  [["--max-turns", "1e3"], "--max-turns"],
  [["--timeout", "0"], "--timeout"],
  [["--timeout", "25d"], "--timeout"],
  [["--output-quota", "much"], "--output-quota"],
])("%j is refused", async (argv, flag) => {
  const error = await appErrorOf(() => resolve({ argv }));
  expect(error.message).toStartWith(`Cannot use "${argv[1] ?? ""}" for ${flag}`);
  expect(error.reason).toBe("usage");
});

function resolve({ argv = [], env = {}, settings = {} }: { argv?: readonly string[]; env?: Record<string, string>; settings?: Partial<Settings> }) {
  const { values } = parseArguments("run", RUN_ARGUMENTS, argv, env);
  return resolveLimits({ values, env, settings: { modelAliases: {}, rules: [], ceilings: {}, ...settings } });
}
