import { describe, expect, test } from "bun:test";
import type { ModelErrorClass } from "../../src/core/agent.ts";
import { ModelError, type ModelErrorOptions } from "../../src/model/client.ts";
import { parseRetryAfter } from "../../src/model/retry-after.ts";
import { decideRetry } from "../../src/model/retry.ts";

function decide(errorClass: ModelErrorClass, attempt: number, options: ModelErrorOptions = {}, random = 0) {
  return decideRetry(new ModelError(errorClass, "failed", options), { attempt, attemptsMax: 4, random: () => random });
}

describe("decideRetry", () => {
  test("doubles the delay up to 8 s (V-255)", () => {
    const error = new ModelError("retryable", "failed");
    const delays = [1, 2, 3, 4, 5, 6, 7].map((attempt) => decideRetry(error, { attempt, attemptsMax: 99, random: () => 0 }));
    expect(delays.map((decision) => decision.retry && decision.delayMs)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  test("shortens it by up to a quarter", () => {
    expect(decide("retryable", 1, {}, 0.5)).toEqual({ retry: true, delayMs: 438 });
    expect(decide("retryable", 1, {}, 1)).toEqual({ retry: true, delayMs: 375 });
  });

  test("makes as many attempts in all as it may", () => {
    expect([1, 2, 3, 4].map((attempt) => decide("retryable", attempt).retry)).toEqual([true, true, true, false]);
  });

  test.each(["auth", "too_long", "invalid", "not_found", "billing", "script", "aborted"] as const)("never repeats %s (V-258)", (errorClass) => {
    expect(decide(errorClass, 1)).toEqual({ retry: false });
  });

  test("waits exactly as long as it is told, up to a minute", () => {
    expect(decide("rate_limit", 1, { retryAfterMs: 1_500 }, 0.9)).toEqual({ retry: true, delayMs: 1_500 });
    expect(decide("retryable", 1, { retryAfterMs: 60_000 })).toEqual({ retry: true, delayMs: 60_000 });
    expect(decide("rate_limit", 1, { retryAfterMs: 60_001 })).toEqual({ retry: false });
  });

  test("obeys the service on whether to try again", () => {
    expect(decide("rate_limit", 1, { shouldRetry: false })).toEqual({ retry: false });
    expect(decide("invalid", 1, { shouldRetry: true })).toEqual({ retry: true, delayMs: 500 });
    expect(decide("aborted", 1, { shouldRetry: true })).toEqual({ retry: false });
  });
});

describe("parseRetryAfter", () => {
  const now = Date.parse("2026-01-02T03:04:05Z");

  test.each([
    [{ "retry-after": "1" }, 1_000],
    [{ "retry-after": "1.5" }, 1_500],
    [{ "retry-after": "3600" }, 3_600_000],
    [{ "retry-after": "2e9" }, 2_000_000_000_000],
    [{ "retry-after": "Fri, 02 Jan 2026 03:04:35 GMT" }, 30_000],
    [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
    [{ "retry-after-ms": "soon", "retry-after": "9" }, 9_000],
    [{ "retry-after": "Fri, 02 Jan 2026 03:04:00 GMT" }, undefined],
    [{ "retry-after": "0" }, undefined],
    [{ "retry-after": "-1" }, undefined],
    [{ "retry-after": "abc" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{}, undefined],
  ])("reads %j as %j (V-256)", (headers, expected) => {
    expect(parseRetryAfter(new Headers(Object.entries(headers)), now)).toBe(expected);
  });
});
