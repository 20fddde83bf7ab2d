import { describe, expect, test } from "bun:test";
import { createOutputWriter, type WriteCalls } from "../../src/platform/output-writer.ts";
import { waitFor } from "../support/wait-for.ts";

/** A descriptor that takes at most `takes` bytes at a call and fails as `failures` say, one for each call, before. */
function fakeDescriptor(options: { readonly takes?: number; readonly failures?: readonly string[] } = {}) {
  const failures = [...(options.failures ?? [])];
  let text = "";
  function take(bytes: Uint8Array): number {
    const code = failures.shift();
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    const taken = bytes.subarray(0, options.takes ?? bytes.length);
    text += new TextDecoder().decode(taken);
    return taken.length;
  }
  const calls: WriteCalls = {
    write(_descriptor, bytes, done) {
      try {
        done(null, take(bytes));
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)), 0);
      }
    },
    writeSync: (_descriptor, bytes) => take(bytes),
  };
  return { calls, text: () => text };
}

describe.each(["drain", "end"] as const)("an output writer that is left with %s", (leave) => {
  test("has written everything in order, however little was taken at a time", async () => {
    const { calls, text } = fakeDescriptor({ takes: 2 });
    const writer = createOutputWriter(1, calls);
    void writer.write("first\n");
    void writer.write("second\n");
    await writer[leave]();
    expect(text()).toBe("first\nsecond\n");
  });

  test("waits for a pipe that is full", async () => {
    const { calls, text } = fakeDescriptor({ failures: ["EAGAIN", "EAGAIN"] });
    const writer = createOutputWriter(1, calls);
    void writer.write("late\n");
    await writer[leave]();
    expect(text()).toBe("late\n");
    expect(writer.isClosed).toBe(false);
  });

  test("drops what is left when the reader has gone, and says so once", async () => {
    const { calls, text } = fakeDescriptor({ failures: ["EPIPE"] });
    const writer = createOutputWriter(1, calls);
    let closings = 0;
    writer.onClosed(() => closings++);
    void writer.write("lost\n");
    void writer.write("lost too\n");
    await writer[leave]();
    await writer.write("after\n");
    await writer.drain();
    expect({ text: text(), isClosed: writer.isClosed, closings }).toEqual({ text: "", isClosed: true, closings: 1 });
  });
});

test("a listener that comes after the reader has gone is told at once", async () => {
  const { calls } = fakeDescriptor({ failures: ["EPIPE"] });
  const writer = createOutputWriter(1, calls);
  void writer.write("lost\n");
  await writer.drain();
  let isTold = false;
  writer.onClosed(() => {
    isTold = true;
  });
  expect(isTold).toBe(true);
});

test("a producer that is too fast waits until the queue is short again", async () => {
  const writes: (() => void)[] = [];
  const writer = createOutputWriter(1, {
    write: (_descriptor, bytes, done) => void writes.push(() => done(null, bytes.length)),
    writeSync: (_descriptor, bytes) => bytes.length,
  });
  let isThrough = false;
  const producing = writer.writeBytes(new Uint8Array(2 * 1_048_576)).then(() => {
    isThrough = true;
  });
  await waitFor(() => writes.length > 0);
  expect({ isThrough, writes: writes.length }).toEqual({ isThrough: false, writes: 1 });
  writes[0]?.();
  await producing;
  expect(isThrough).toBe(true);
});
