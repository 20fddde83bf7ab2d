import { expect, test } from "bun:test";
import { createWakeup } from "../../src/lib/wakeup.ts";

const LONG = { signal: new AbortController().signal, timeoutMs: 3_600_000 };

test("news wakes everybody who waits for it", async () => {
  const news = createWakeup();
  const waits = [1, 2, 3].map(() => news.wait({ ...LONG, since: news.count() }));
  news.wake();
  expect(await Promise.all(waits)).toHaveLength(3);
});

test("news that came between the look and the wait is not missed, by nobody", async () => {
  const news = createWakeup();
  const since = news.count();
  news.wake();
  expect(await Promise.all([news.wait({ ...LONG, since }), news.wait({ ...LONG, since })])).toHaveLength(2);
});

test("an abort and the end of time wake as well", async () => {
  const news = createWakeup();
  const controller = new AbortController();
  const aborted = news.wait({ signal: controller.signal, timeoutMs: 3_600_000, since: 0 });
  controller.abort();
  await aborted;
  await news.wait({ signal: LONG.signal, timeoutMs: 1, since: 0 });
  expect(news.count()).toBe(0);
});
