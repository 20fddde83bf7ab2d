import { shiftedNow } from "./test-hooks/shifted-now.ts";

/**
 * Milliseconds since the epoch by the clock of the system. For what people and other machines read: whoever sets that
 * clock makes it jump, so how long something takes is measured with `performance.now()`.
 */
export function wallClock(): number {
  return TEST_HOOKS ? shiftedNow() : Date.now();
}
