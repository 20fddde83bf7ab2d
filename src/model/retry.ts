import type { ModelError } from "./client.ts";

/** A longer wait than this is not ours to sit through: the run ends and says how long the service wants. */
export const RETRY_AFTER_MAX_MS = 60_000;
const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 8_000;
const JITTER_MAX = 0.25;

export type RetryDecision = { readonly retry: false } | { readonly retry: true; readonly delayMs: number };

/**
 * Whether a failed request is worth another attempt, and after how long: 0.5 s, 1 s, 2 s … up to 8 s, each shortened by
 * up to a quarter so that many agents do not come back at once, or exactly as long as the service asked for.
 *
 * @param options.attempt how many attempts were made, this one included; counts from 1
 * @param options.attemptsMax attempts in all
 * @param options.waitMsMax the longest wait that the service may ask for
 * @param options.random a number in [0, 1)
 */
export function decideRetry(
  error: ModelError,
  options: { readonly attempt: number; readonly attemptsMax: number; readonly waitMsMax?: number; readonly random?: () => number },
): RetryDecision {
  const { attempt, attemptsMax, waitMsMax = RETRY_AFTER_MAX_MS, random = Math.random } = options;
  if (attempt >= attemptsMax || !isWorthRetrying(error)) return { retry: false };
  if (error.retryAfterMs === undefined) return { retry: true, delayMs: backoffMs(attempt, random()) };
  return error.retryAfterMs > waitMsMax ? { retry: false } : { retry: true, delayMs: error.retryAfterMs };
}

function isWorthRetrying(error: ModelError): boolean {
  if (error.class === "aborted") return false;
  return error.shouldRetry ?? (error.class === "retryable" || error.class === "rate_limit");
}

function backoffMs(attempt: number, random: number): number {
  const fullMs = Math.min(BACKOFF_FIRST_MS * 2 ** (attempt - 1), BACKOFF_MAX_MS);
  return Math.round(fullMs * (1 - JITTER_MAX * random));
}
