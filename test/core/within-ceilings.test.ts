import { expect, test } from "bun:test";
import { withinCeilings } from "../../src/core/within-ceilings.ts";

const LIMITS = { permissionMode: "acceptEdits", turnsMax: 500, timeoutMs: undefined, outputBytesMax: 1_000, runOutputBytesMax: 10_000, outputTokensMax: 100, apiAttemptsMax: 5 } as const;

test("without ceilings nothing changes", () => {
  expect(withinCeilings(LIMITS, {})).toEqual({ limits: LIMITS, lowered: [] });
});

test("what goes beyond a ceiling is lowered to it and named", () => {
  const ceilings = { permissionMode: "default", turnsMax: 10, timeoutMs: 60_000, outputBytesMax: 1_000, runOutputBytesMax: 10_000, outputTokensMax: 200, apiAttemptsMax: 1 } as const;
  expect(withinCeilings(LIMITS, ceilings)).toEqual({
    limits: { permissionMode: "default", turnsMax: 10, timeoutMs: 60_000, outputBytesMax: 1_000, runOutputBytesMax: 10_000, outputTokensMax: 100, apiAttemptsMax: 1 },
    lowered: ["permissionMode", "timeoutMs", "turnsMax", "apiAttemptsMax"],
  });
});

test.each([
  ["plan", "default", "plan"],
  ["dontAsk", "default", "dontAsk"],
  ["default", "dontAsk", "default"],
  ["bypassPermissions", "acceptEdits", "acceptEdits"],
  ["default", "plan", "plan"],
] as const)("%s under a ceiling of %s is %s", (permissionMode, ceiling, expected) => {
  expect(withinCeilings({ ...LIMITS, permissionMode }, { permissionMode: ceiling }).limits.permissionMode).toBe(expected);
});
