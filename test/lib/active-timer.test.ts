import { expect, test } from "bun:test";
import { createActiveClock } from "../../src/lib/active-clock.ts";
import { startActiveTimer } from "../../src/lib/active-timer.ts";
import { waitFor } from "../support/wait-for.ts";

test("a clock does not count the time in which it stands still", () => {
  let now = 100;
  const clock = createActiveClock(() => now);
  expect(clock.activeMs()).toBe(100);
  clock.pause();
  now = 500;
  expect([clock.activeMs(), clock.isPaused()]).toEqual([100, true]);
  clock.pause();
  now = 600;
  clock.resume();
  clock.resume();
  now = 650;
  expect([clock.activeMs(), clock.isPaused()]).toEqual([150, false]);
});

test("a timer is due when the active time has passed, however late it looks", async () => {
  let now = 0;
  const clock = createActiveClock(() => now);
  let dues = 0;
  startActiveTimer({ limitMs: 20, activeMs: clock.activeMs, onDue: () => dues++ });
  clock.pause();
  now = 1_000;
  await Bun.sleep(60);
  expect(dues).toBe(0);
  clock.resume();
  now = 1_019;
  await Bun.sleep(60);
  expect(dues).toBe(0);
  now = 1_020;
  await waitFor(() => dues === 1);
});

test("a timer that was called off is never due, and one for longer than timers can wait is not due at once", async () => {
  let dues = 0;
  const options = { activeMs: () => performance.now(), onDue: () => dues++ };
  startActiveTimer({ ...options, limitMs: 10 })();
  const callOff = startActiveTimer({ ...options, limitMs: 40 * 86_400_000 });
  let isLast = false;
  startActiveTimer({ ...options, limitMs: 30, onDue: () => (isLast = true) });
  await waitFor(() => isLast);
  callOff();
  expect(dues).toBe(0);
});
