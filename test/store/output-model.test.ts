import { expect, test } from "bun:test";
import type { TaskOutputReader, TaskOutputWriter } from "../../src/core/task-output.ts";
import { openTaskOutputs } from "../../src/store/task-output.ts";
import { taskId } from "../support/sample-task.ts";
import { testState } from "../support/test-state.ts";

const ID = taskId("b00000000");
const CHARACTERS = ["a", "b", "\n", "é", "ß", "€", "語", "😀"];
const QUOTAS = [1, 2, 7, 8, 13, 16, 31, 64, 100, 257, 1_000, 5_000];

/** Numbers below 1 that are the same for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Follower {
  readonly reader: TaskOutputReader;
  offset: number;
  lostBytes: number;
  readBytes: number;
}

/** Reads one piece and holds it against what was printed. */
function readOn(follower: Follower, printed: Buffer, bytesMax: number): number {
  const before = follower.offset;
  const chunk = follower.reader.read({ offset: before, bytesMax });
  expect(chunk.isReset).toBe(false);
  expect(chunk.data.length).toBeLessThanOrEqual(bytesMax);
  expect(chunk.offset).toBe(before + chunk.lostBytes);
  expect(chunk.nextOffset).toBe(chunk.offset + chunk.data.length);
  expect(printed.subarray(chunk.offset, chunk.nextOffset).equals(chunk.data)).toBe(true);
  follower.offset = chunk.nextOffset;
  follower.lostBytes += chunk.lostBytes;
  follower.readBytes += chunk.data.length;
  return chunk.data.length;
}

function readToEnd(follower: Follower, printed: Buffer): void {
  while (readOn(follower, printed, 97) > 0);
}

/** What must hold of the files, whatever was printed. */
function checkKept(writer: TaskOutputWriter, { reader, printed, quota }: { readonly reader: TaskOutputReader; readonly printed: Buffer; readonly quota: number }): void {
  const stretches = reader.stretches();
  const kept = stretches.reduce((sum, stretch) => sum + stretch.end - stretch.start, 0);
  expect(kept).toBe(writer.bytesWritten);
  expect(writer.bytesWritten + writer.bytesDropped).toBe(printed.length);
  expect(kept).toBeLessThanOrEqual(Math.max(quota, 4 + Math.floor(quota / 2)));
  // The end is always there, and of the quota no more than a quarter of the tail and some halves of characters are unused.
  expect(stretches.at(-1)?.end).toBe(printed.length);
  expect(kept).toBeGreaterThanOrEqual(Math.min(printed.length, quota - Math.ceil(quota / 8) - 16));
  expect(stretches.length).toBeLessThanOrEqual(2);
  for (const { start, end } of stretches) expect(Buffer.from(printed.subarray(start, end).toString()).equals(printed.subarray(start, end))).toBe(true);
}

test.each(QUOTAS.flatMap((quota) => [1, 2, 3, 4].map((seed) => [quota, seed] as const)))(
  "with a quota of %i bytes, whoever reads whenever gets what was printed or the exact number of bytes that are lost (seed %i)",
  (quota, seed) => {
    using state = testState();
    const random = numbersFrom(seed * 1_000 + quota);
    const below = (limit: number) => Math.floor(random() * limit);
    const outputs = openTaskOutputs(state.directory, { bytesMax: quota });
    const writer = outputs.create(ID);
    const followers: Follower[] = [];
    let printed = Buffer.alloc(0);
    for (let step = 0; step < 300; step++) {
      const longest = below(10) === 0 ? quota * 2 : 12;
      const piece = Buffer.from(Array.from({ length: 1 + below(longest) }, () => CHARACTERS[below(CHARACTERS.length)]).join(""));
      writer.write(piece);
      printed = Buffer.concat([printed, piece]);
      if (below(40) === 0) followers.push({ reader: outputs.read(ID), offset: below(printed.length + 1), lostBytes: 0, readBytes: 0 });
      for (const follower of followers) if (below(3) === 0) readOn(follower, printed, 4 + below(64));
    }
    writer.close();
    const fresh: Follower = { reader: outputs.read(ID), offset: 0, lostBytes: 0, readBytes: 0 };
    for (const follower of [...followers, fresh]) readToEnd(follower, printed);
    expect(followers.map(({ offset }) => offset)).toEqual(followers.map(() => printed.length));
    expect([fresh.readBytes, fresh.lostBytes]).toEqual([writer.bytesWritten, writer.bytesDropped]);
    checkKept(writer, { reader: fresh.reader, printed, quota });
    for (const { reader } of [...followers, fresh]) reader.close();
  },
);

test("bytes that are no text are kept as they are", () => {
  using state = testState();
  const random = numbersFrom(7);
  const outputs = openTaskOutputs(state.directory, { bytesMax: 200 });
  const writer = outputs.create(ID);
  let printed = Buffer.alloc(0);
  for (let step = 0; step < 500; step++) {
    const piece = Buffer.from(Array.from({ length: Math.floor(random() * 40) }, () => Math.floor(random() * 256)));
    writer.write(piece);
    printed = Buffer.concat([printed, piece]);
  }
  writer.close();
  const follower: Follower = { reader: outputs.read(ID), offset: 0, lostBytes: 0, readBytes: 0 };
  readToEnd(follower, printed);
  expect([follower.readBytes, follower.lostBytes, follower.offset]).toEqual([writer.bytesWritten, writer.bytesDropped, printed.length]);
  follower.reader.close();
});

test("a reader in another process loses nothing unnoticed while the writer goes on", async () => {
  using state = testState();
  const outputs = openTaskOutputs(state.directory, { bytesMax: 100_000 });
  const writer = outputs.create(ID);
  writer.write(Buffer.from("\n"));
  const reading = Bun.spawn([process.execPath, `${import.meta.dir}/../fixtures/follow-numbers.ts`, state.path, ID], { stdout: "pipe", stderr: "inherit" });
  let number = 0;
  let bytes = 1;
  const until = performance.now() + 1_000;
  while (performance.now() < until) {
    for (let line = 0; line < 2_000; line++) {
      const text = `${number++}\n`;
      bytes += text.length;
      writer.write(Buffer.from(text));
    }
    await Bun.sleep(1);
  }
  writer.write(Buffer.from("end\n"));
  const report: unknown = JSON.parse(await reading.stdout.text());
  writer.close();
  expect(report).toEqual({ problems: [], offset: bytes + 4, lines: expect.any(Number), lostBytes: expect.any(Number) });
});
