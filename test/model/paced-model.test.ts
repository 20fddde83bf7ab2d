import { describe, expect, test } from "bun:test";
import { createSemaphore, type Semaphore } from "../../src/lib/semaphore.ts";
import { ModelError, type ModelClient, type ModelEvent, type ModelRequest } from "../../src/model/client.ts";
import { pacedModel } from "../../src/model/paced-model.ts";
import { thrownBy } from "../support/thrown.ts";

const REQUEST: ModelRequest = { system: [], tools: [], messages: [], maxOutputTokens: 1 };
const never = () => new AbortController().signal;

/** A model that is paced, whose replies end when the test says so. */
function paced(placesMax: number, pace: Semaphore = createSemaphore(placesMax)) {
  const open: { readonly end: () => void; readonly fail: (error: Error) => void }[] = [];
  const inner: ModelClient = {
    model: "test",
    limits: { contextTokens: 1, outputTokensMax: 1 },
    async *stream(): AsyncGenerator<ModelEvent> {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      open.push({ end: resolve, fail: reject });
      await promise;
      yield { type: "message_stop" };
    },
  };
  const model = pacedModel(inner, pace, placesMax);
  const ask = async (signal = never()) => {
    for await (const _event of model.stream(REQUEST, signal));
  };
  return { ask, open, pace };
}

/** Lets everything go on that can. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a paced model", () => {
  test("lets no more replies arrive at once than there are places, and the next one begin when one has ended", async () => {
    const { ask, open, pace } = paced(2);
    const asked = [ask(), ask(), ask()];
    await settle();
    expect([open.length, pace.taken]).toEqual([2, 2]);
    open[0]?.end();
    await asked[0];
    await settle();
    expect(open.length).toBe(3);
    for (const each of open) each.end();
    await Promise.all(asked);
    expect(pace.taken).toBe(0);
  });

  test("gives its place back when it fails, and when who reads it stops", async () => {
    const { ask, open, pace } = paced(1);
    const failing = ask();
    await settle();
    open[0]?.fail(new ModelError("invalid", "no"));
    expect((await thrownBy(() => failing)) instanceof ModelError).toBe(true);
    expect([pace.taken, pace.places]).toEqual([0, 1]);
  });

  test("that is stopped while it waits asks nothing, and says that it was stopped", async () => {
    const { ask, open, pace } = paced(1);
    const first = ask();
    const controller = new AbortController();
    const second = thrownBy(() => ask(controller.signal));
    await settle();
    controller.abort();
    expect(await second).toMatchObject({ class: "aborted" });
    open[0]?.end();
    await first;
    expect([open.length, pace.taken]).toEqual([1, 0]);
  });

  test.each([
    ["rate_limit", 429],
    ["retryable", 529],
  ] as const)("asks for half as many at once after a limit of the service (%s), once for all that meet it together", async (errorClass, status) => {
    const { ask, open, pace } = paced(8);
    const asked = Array.from({ length: 8 }, () => thrownBy(() => ask()));
    await settle();
    for (const each of open) each.fail(new ModelError(errorClass, "slower", { status }));
    await Promise.all(asked);
    expect([pace.places, pace.taken]).toEqual([4, 0]);
  });

  test("asks for more again, one for each reply, and never for more than allowed", async () => {
    const pace = createSemaphore(3);
    const { ask, open } = paced(3, pace);
    pace.resize(1);
    for (const places of [2, 3, 3]) {
      const asked = ask();
      await settle();
      open.at(-1)?.end();
      await asked;
      expect(pace.places).toBe(places);
    }
  });

  test("changes nothing after another failure, and never goes below one", async () => {
    const { ask, open, pace } = paced(1);
    for (const error of [new ModelError("retryable", "broken", { status: 500 }), new ModelError("rate_limit", "slower", { status: 429 })]) {
      const asked = thrownBy(() => ask());
      await settle();
      open.at(-1)?.fail(error);
      await asked;
      expect(pace.places).toBe(1);
    }
  });
});
