import { describe, expect, test } from "bun:test";
import { createPrefixGate } from "../../src/model/prefix-gate.ts";
import type { ModelClient, ModelEvent, ModelRequest } from "../../src/model/client.ts";

const REQUEST = {} as unknown as ModelRequest;
const EVENT: ModelEvent = { type: "message_start", usage: { input: 1 } };

/** A model that answers when it is told to, and says which requests have come. */
function heldModel() {
  const replies: PromiseWithResolvers<readonly ModelEvent[]>[] = [];
  const model: Pick<ModelClient, "stream"> = {
    async *stream() {
      const reply = Promise.withResolvers<readonly ModelEvent[]>();
      replies.push(reply);
      yield* await reply.promise;
    },
  };
  return { model: model as unknown as ModelClient, replies };
}

async function drain(model: ModelClient, signal = new AbortController().signal): Promise<number> {
  let count = 0;
  for await (const _ of model.stream(REQUEST, signal)) count++;
  return count;
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("of conversations with the same beginning", () => {
  test("the first asks alone until its reply begins, then all the others at once", async () => {
    const { model, replies } = heldModel();
    const gate = createPrefixGate();
    const all = [1, 2, 3].map(() => drain(gate.pass(model)));
    await settled();
    expect(replies).toHaveLength(1);
    replies[0]?.resolve([EVENT]);
    await settled();
    expect(replies).toHaveLength(3);
    for (const reply of replies) reply.resolve([EVENT]);
    expect(await Promise.all(all)).toEqual([1, 1, 1]);
  });

  test("one that fails holds up nobody", async () => {
    const { model, replies } = heldModel();
    const gate = createPrefixGate();
    const first = drain(gate.pass(model)).catch((error: unknown) => String(error));
    const second = drain(gate.pass(model));
    await settled();
    replies[0]?.reject(new Error("overloaded"));
    expect(await first).toContain("overloaded");
    await settled();
    replies[1]?.resolve([EVENT]);
    expect(await second).toBe(1);
  });

  test("one that is stopped while it waits goes on to where that is told", async () => {
    const { model, replies } = heldModel();
    const gate = createPrefixGate();
    const controller = new AbortController();
    void drain(gate.pass(model));
    const stopped = drain(gate.pass(model), controller.signal);
    await settled();
    controller.abort();
    await settled();
    replies[1]?.resolve([]);
    expect(await stopped).toBe(0);
  });

  test("only the first request of each waits", async () => {
    const { model, replies } = heldModel();
    const gate = createPrefixGate();
    const client = gate.pass(model);
    const first = drain(client);
    await settled();
    const again = drain(client);
    await settled();
    expect(replies).toHaveLength(2);
    for (const reply of replies) reply.resolve([EVENT]);
    expect(await Promise.all([first, again])).toEqual([1, 1]);
  });
});
