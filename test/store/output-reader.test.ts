import { expect, test } from "bun:test";
import { appendFileSync, openSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskOutputReader } from "../../src/core/task-output.ts";
import { createOutputReader } from "../../src/store/output-reader.ts";
import { tempDir } from "../support/temp-dir.ts";

interface TestFile extends Disposable {
  readonly path: string;
  readonly reader: TaskOutputReader;
}

/** One file that holds a whole output. */
function fileWith(content: string | Uint8Array): TestFile {
  const dir = tempDir();
  const path = join(dir.path, "output");
  writeFileSync(path, content);
  const reader = createOutputReader({ headFd: openSync(path, "r"), headBytes: () => undefined, segmentOffsets: () => [], openSegment: () => undefined });
  return {
    path,
    reader,
    [Symbol.dispose]() {
      reader.close();
      dir[Symbol.dispose]();
    },
  };
}

function read(reader: TaskOutputReader, offset: number, bytesMax = 100) {
  const { data, ...chunk } = reader.read({ offset, bytesMax });
  return { ...chunk, text: Buffer.from(data).toString() };
}

/** Reads pieces until there is no more. */
function pieces(reader: TaskOutputReader, bytesMax: number): string[] {
  const found: string[] = [];
  for (let offset = 0; ; ) {
    const { text, nextOffset } = read(reader, offset, bytesMax);
    if (text === "") return found;
    found.push(text);
    offset = nextOffset;
  }
}

test.each([4, 5, 6, 7, 8, 64])("pieces of %i bytes hold whole characters and all of them (V-222)", (bytesMax) => {
  const text = "aé€😀 äöü 日本語 😀😀😀 end";
  using file = fileWith(text);
  const found = pieces(file.reader, bytesMax);
  expect(found.join("")).toBe(text);
  for (const piece of found) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(bytesMax);
});

test("bytes come unchanged, and offsets count bytes", () => {
  const bytes = Uint8Array.from([0x61, 0xff, 0x80, 0x00, 0xc3, 0x28]);
  using file = fileWith(bytes);
  expect(file.reader.read({ offset: 0, bytesMax: 100 })).toEqual({ data: bytes, offset: 0, nextOffset: 6, lostBytes: 0, isReset: false });
  expect(file.reader.read({ offset: 2, bytesMax: 100 }).data).toEqual(bytes.subarray(2));
});

test("a character that is being written is waited for, and one that never ends is given out at last (V-222)", () => {
  const euro = Buffer.from("€");
  using file = fileWith(Buffer.concat([Buffer.from("price "), euro.subarray(0, 1)]));
  const first = read(file.reader, 0);
  expect(first).toMatchObject({ text: "price ", nextOffset: 6 });
  appendFileSync(file.path, euro.subarray(1));
  expect(read(file.reader, 6)).toMatchObject({ text: "€", nextOffset: 9 });
  appendFileSync(file.path, euro.subarray(0, 2));
  expect(file.reader.read({ offset: 9, bytesMax: 100 })).toMatchObject({ data: new Uint8Array(euro.subarray(0, 2)), nextOffset: 11 });
});

test("at the end there is nothing, until more is written", () => {
  using file = fileWith("one");
  expect(read(file.reader, 3)).toEqual({ text: "", offset: 3, nextOffset: 3, lostBytes: 0, isReset: false });
  appendFileSync(file.path, "two");
  expect(read(file.reader, 3)).toMatchObject({ text: "two", nextOffset: 6, isReset: false });
});

test("a file that was cut is read again from its start, and says so (V-222)", () => {
  using file = fileWith("a long first content");
  truncateSync(file.path, 0);
  expect(read(file.reader, 20)).toEqual({ text: "", offset: 0, nextOffset: 0, lostBytes: 0, isReset: true });
  appendFileSync(file.path, "new");
  expect(read(file.reader, 20)).toMatchObject({ text: "new", nextOffset: 3, isReset: true });
});

test("pieces that could not hold every character are refused", () => {
  using file = fileWith("x");
  expect(() => read(file.reader, 0, 3)).toThrow("a character may have 4");
});
