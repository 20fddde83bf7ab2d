import { expect, test } from "bun:test";
import { mergeGenerators } from "../../src/lib/merge-generators.ts";

async function collect<Value, Result>(generator: AsyncGenerator<Value, Result>): Promise<{ values: Value[]; result: Result }> {
  const values: Value[] = [];
  let step = await generator.next();
  while (step.done !== true) {
    values.push(step.value);
    step = await generator.next();
  }
  return { values, result: step.value };
}

test("results come back in the order given, values as they come", async () => {
  const slow = Promise.withResolvers<void>();
  async function* first() {
    await slow.promise;
    yield "slow";
    return 1;
  }
  async function* second() {
    yield "quick";
    slow.resolve();
    return 2;
  }
  expect(await collect(mergeGenerators([first(), second()], 2))).toEqual({ values: ["quick", "slow"], result: [1, 2] });
});

test("no more than the limit run at once", async () => {
  let active = 0;
  let most = 0;
  async function* work() {
    most = Math.max(most, ++active);
    await Promise.resolve();
    yield 0;
    active--;
    return 0;
  }
  await collect(mergeGenerators(Array.from({ length: 10 }, work), 3));
  expect(most).toBe(3);
});

test("a value is seen before its generator goes on", async () => {
  const log: string[] = [];
  async function* work() {
    yield "announce";
    log.push("act");
    return 0;
  }
  const merged = mergeGenerators([work()], 1);
  await merged.next();
  log.push("seen");
  await merged.next();
  expect(log).toEqual(["seen", "act"]);
});

test("when one fails the others run to their end before the failure is thrown", async () => {
  let isFinished = false;
  async function* failing() {
    yield 0;
    if (!isFinished) throw new Error("broken");
    return 0;
  }
  async function* working() {
    yield 1;
    await Promise.resolve();
    isFinished = true;
    return 1;
  }
  let message = "";
  try {
    await collect(mergeGenerators([failing(), working()], 2));
  } catch (error) {
    message = String(error);
  }
  expect([message, isFinished]).toEqual(["Error: broken", true]);
});
