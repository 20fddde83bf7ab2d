import { expect, test } from "bun:test";
import { createActiveClock } from "../../../src/lib/active-clock.ts";
import type { RunStop } from "../../../src/runtime/run-request.ts";
import { startIdleWatch } from "../../../src/runtime/limits/idle-watch.ts";

const LIMIT_MS = 40;

function watch() {
  const clock = createActiveClock();
  const stopped = Promise.withResolvers<RunStop>();
  const idle = startIdleWatch({ limitMs: LIMIT_MS, activeMs: clock.activeMs, stop: stopped.resolve });
  const startedAt = performance.now();
  return { ...idle, clock, stopped: stopped.promise, elapsedMs: () => performance.now() - startedAt, [Symbol.dispose]: idle.end };
}

const isRunning = async (stopped: Promise<unknown>, forMs: number) => (await Promise.race([stopped, Bun.sleep(forMs).then(() => "running")])) === "running";

test("silence ends a run, with the limit named", async () => {
  using idle = watch();
  expect(await idle.stopped).toEqual({ reason: "stalled", message: expect.stringContaining("nothing has happened for 0.04 s") });
  expect(idle.elapsedMs()).toBeGreaterThanOrEqual(LIMIT_MS - 2);
});

test("every sign of life puts the end off", async () => {
  using idle = watch();
  for (let count = 0; count < 10; count++) {
    expect(await isRunning(idle.stopped, LIMIT_MS / 4)).toBe(true);
    idle.touch();
  }
  await idle.stopped;
  expect(idle.elapsedMs()).toBeGreaterThan(3 * LIMIT_MS);
});

test("a wait that is known does not count", async () => {
  using idle = watch();
  idle.touch(2 * LIMIT_MS);
  await idle.stopped;
  expect(idle.elapsedMs()).toBeGreaterThanOrEqual(3 * LIMIT_MS - 2);
});

test("what bounds itself may be silent; afterwards the whole limit holds", async () => {
  using idle = watch();
  idle.hold("a");
  idle.hold("b");
  expect(await isRunning(idle.stopped, 2 * LIMIT_MS)).toBe(true);
  idle.release("a");
  expect(await isRunning(idle.stopped, 2 * LIMIT_MS)).toBe(true);
  idle.release("b");
  const releasedAt = idle.elapsedMs();
  await idle.stopped;
  expect(idle.elapsedMs() - releasedAt).toBeGreaterThanOrEqual(LIMIT_MS - 2);
});

test("time in which the run is halted does not count", async () => {
  using idle = watch();
  idle.clock.pause();
  expect(await isRunning(idle.stopped, 3 * LIMIT_MS)).toBe(true);
  idle.clock.resume();
  await idle.stopped;
  expect(idle.elapsedMs()).toBeGreaterThanOrEqual(4 * LIMIT_MS - 2);
});

test("nothing is stopped once the watch has ended", async () => {
  using idle = watch();
  idle.end();
  expect(await isRunning(idle.stopped, 2 * LIMIT_MS)).toBe(true);
});
