import { expect, test } from "bun:test";
import { createGarbageMeter } from "../../src/platform/collect-garbage.ts";

const MEBIBYTE = 1_048_576;

/** A collection takes 10 ms of a clock that is moved by hand. */
function world() {
  const clock = { ms: 0 };
  const collectedAt: number[] = [];
  const pace = { notBefore: 0 };
  const meter = () =>
    createGarbageMeter({
      collect: () => {
        collectedAt.push(clock.ms);
        clock.ms += 10;
      },
      now: () => clock.ms,
      pace,
    });
  return { clock, collectedAt, meter };
}

test("little garbage is left alone, and what comes together is collected once", () => {
  const { collectedAt, meter } = world();
  const note = meter();
  note(MEBIBYTE);
  expect(collectedAt).toEqual([]);
  note(MEBIBYTE);
  note(MEBIBYTE);
  expect(collectedAt).toEqual([0]);
});

test("collecting takes at most a quarter of the time, however many conversations drop however much", () => {
  const { clock, collectedAt, meter } = world();
  const meters = Array.from({ length: 50 }, meter);
  while (clock.ms < 10_000) {
    for (const note of meters) note(10 * MEBIBYTE);
    clock.ms += 1;
  }
  expect(collectedAt.length * 10).toBeLessThanOrEqual(clock.ms / 4);
  // What had to wait is collected as soon as it may be.
  expect(collectedAt.length * 10).toBeGreaterThan(clock.ms / 5);
});
