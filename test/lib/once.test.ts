import { expect, test } from "bun:test";
import { once } from "../../src/lib/once.ts";

test("the value is built at the first call and kept, undefined too", () => {
  let builds = 0;
  const get = once(() => {
    builds++;
    return undefined;
  });
  expect(builds).toBe(0);
  expect([get(), get()]).toEqual([undefined, undefined]);
  expect(builds).toBe(1);
});

test("a build that failed is tried again", () => {
  let builds = 0;
  const get = once(() => {
    if (++builds === 1) throw new Error("not yet");
    return builds;
  });
  expect(get).toThrow("not yet");
  expect(get()).toBe(2);
});
