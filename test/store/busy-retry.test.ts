import { expect, test } from "bun:test";
import { retryWhileBusy, retryWhileBusySync, type RetryWorld } from "../../src/store/busy-retry.ts";
import { thrownBy } from "../support/thrown.ts";

const busy = () => Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });

/** A world in which sleeping only moves the clock. */
function fakeWorld(random: () => number): { readonly world: RetryWorld; readonly delays: number[] } {
  const delays: number[] = [];
  let now = 0;
  return {
    delays,
    world: {
      now: () => now,
      random,
      sleep(milliseconds) {
        delays.push(milliseconds);
        now += milliseconds;
        return Promise.resolve();
      },
    },
  };
}

test("an attempt is repeated until the lock is free, after delays that differ", async () => {
  const randoms = [0, 0.5, 1];
  const { world, delays } = fakeWorld(() => randoms.shift() ?? 0);
  let attempts = 0;
  const value = await retryWhileBusy(() => {
    if (++attempts < 4) throw busy();
    return "done";
  }, world);
  expect(value).toBe("done");
  expect(delays).toEqual([2, 11, 20]);
});

test("after 30 s the error is thrown", async () => {
  const { world, delays } = fakeWorld(() => 1);
  const error = await thrownBy(() =>
    retryWhileBusy(() => {
      throw busy();
    }, world),
  );
  expect(error).toMatchObject({ code: "SQLITE_BUSY" });
  expect(delays.reduce((sum, delay) => sum + delay, 0)).toBe(30_000);
});

test("other errors are not repeated", async () => {
  const { world, delays } = fakeWorld(() => 0);
  const error = await thrownBy(() =>
    retryWhileBusy(() => {
      throw Object.assign(new Error("full"), { code: "SQLITE_FULL" });
    }, world),
  );
  expect(error).toMatchObject({ code: "SQLITE_FULL" });
  expect(delays).toEqual([]);
});

test("what cannot wait asynchronously gives up at its own limit", async () => {
  let attempts = 0;
  const error = await thrownBy(() =>
    retryWhileBusySync(
      () => {
        attempts++;
        throw busy();
      },
      { limitMs: 30 },
    ),
  );
  expect(error).toMatchObject({ code: "SQLITE_BUSY" });
  expect(attempts).toBeGreaterThan(1);
});
