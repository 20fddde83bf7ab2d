import { expect, test } from "bun:test";
import { createSemaphore } from "../../src/lib/semaphore.ts";

const never = () => new AbortController().signal;

test("no more than the places are taken at once, and those who wait come in their order", async () => {
  const semaphore = createSemaphore(2);
  const order: number[] = [];
  let most = 0;
  await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const release = await semaphore.acquire(never());
      order.push(index);
      most = Math.max(most, semaphore.taken);
      await Promise.resolve();
      release();
      release();
    }),
  );
  expect([order, most, semaphore.taken]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 2, 0]);
});

test("who gives up waiting takes nobody's place", async () => {
  const semaphore = createSemaphore(1);
  const release = await semaphore.acquire(never());
  const controller = new AbortController();
  const waiting = semaphore.acquire(controller.signal);
  const next = semaphore.acquire(never());
  controller.abort(new Error("no longer"));
  expect(waiting).rejects.toThrow("no longer");
  release();
  (await next)();
  expect(semaphore.taken).toBe(0);
});

test("fewer places let nobody in until there are fewer taken, more let those in who wait", async () => {
  const semaphore = createSemaphore(2);
  const releases = [await semaphore.acquire(never()), await semaphore.acquire(never())];
  semaphore.resize(1);
  let isIn = false;
  const third = semaphore.acquire(never()).then((release) => {
    isIn = true;
    return release;
  });
  releases[0]?.();
  await Promise.resolve();
  expect(isIn).toBe(false);
  semaphore.resize(2);
  (await third)();
  releases[1]?.();
  expect(semaphore.taken).toBe(0);
});
