import { isBusy } from "./sqlite-error.ts";

/**
 * How long SQLite itself may wait for a lock. It waits synchronously, and with it every agent in the process: the long
 * wait is ours, between attempts.
 */
export const BUSY_TIMEOUT_MS = 20;
const RETRY_LIMIT_MS = 30_000;
const RETRY_DELAY_MIN_MS = 2;
const RETRY_DELAY_MAX_MS = 20;

/** The outside world of a retry, for tests. */
export interface RetryWorld {
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Milliseconds from any fixed point. */
  readonly now: () => number;
  readonly random: () => number;
}

export const REAL_RETRY_WORLD: RetryWorld = { sleep: Bun.sleep, now: () => performance.now(), random: Math.random };

/** Repeats an attempt while another process holds the lock, for 30 s at most; then its error is thrown. */
export async function retryWhileBusy<Value>(attempt: () => Value, world: RetryWorld): Promise<Value> {
  const deadline = world.now() + RETRY_LIMIT_MS;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || world.now() >= deadline) throw error;
    }
    await world.sleep(jitteredDelay(world.random));
  }
}

/** The same for what cannot wait asynchronously: opening, and reads, which wait for others only in rare moments. */
export function retryWhileBusySync<Value>(attempt: () => Value, options: { readonly limitMs: number }): Value {
  const deadline = performance.now() + options.limitMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    Bun.sleepSync(jitteredDelay(Math.random));
  }
}

/** Without the jitter, processes that met once would meet again and again. */
function jitteredDelay(random: () => number): number {
  return RETRY_DELAY_MIN_MS + random() * (RETRY_DELAY_MAX_MS - RETRY_DELAY_MIN_MS);
}
