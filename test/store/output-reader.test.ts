import { expect, test } from "bun:test";
import { appendFileSync, closeSync, openSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemErrorCode } from "../../src/core/errors.ts";
import { readOutput, readOutputText } from "../../src/store/output-reader.ts";
import { tempDir } from "../support/temp-dir.ts";
import { thrownBy } from "../support/thrown.ts";

function fileWith(content: string | Uint8Array): { readonly path: string; [Symbol.dispose](): void } {
  const dir = tempDir();
  const path = join(dir.path, "output");
  writeFileSync(path, content);
  return { path, [Symbol.dispose]: () => dir[Symbol.dispose]() };
}

/** Reads pieces until there is no more. */
function pieces(path: string, bytesMax: number, from = 0): string[] {
  const found: string[] = [];
  for (let offset = from; ; ) {
    const { data, nextOffset } = readOutputText({ source: { path }, offset, bytesMax });
    if (data === "") return found;
    found.push(data);
    offset = nextOffset;
  }
}

test.each([4, 5, 6, 7, 8, 64])("pieces of %i bytes hold whole characters and all of them (V-222)", (bytesMax) => {
  const text = "aé€😀 äöü 日本語 😀😀😀 end";
  using file = fileWith(text);
  const found = pieces(file.path, bytesMax);
  expect(found.join("")).toBe(text);
  for (const piece of found) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(bytesMax);
});

test("bytes come unchanged, by descriptor as by path, and offsets count bytes", () => {
  const bytes = Uint8Array.from([0x61, 0xff, 0x80, 0x00, 0xc3, 0x28]);
  using file = fileWith(bytes);
  const fd = openSync(file.path, "r");
  for (const source of [{ fd }, { path: file.path }]) {
    expect(readOutput({ source, offset: 0, bytesMax: 100 })).toEqual({ data: bytes, nextOffset: 6, isReset: false });
    expect(readOutput({ source, offset: 2, bytesMax: 100 }).data).toEqual(bytes.subarray(2));
  }
  closeSync(fd);
});

test("bytes that are no text become replacement characters", () => {
  using file = fileWith(Uint8Array.from([0x61, 0xff, 0x62]));
  expect(readOutputText({ source: { path: file.path }, offset: 0, bytesMax: 100 })).toEqual({ data: "a\ufffdb", nextOffset: 3, isReset: false });
});

test("a character that is being written is waited for, and one that never ends is given out at last (V-222)", () => {
  const euro = Buffer.from("€");
  using file = fileWith(Buffer.concat([Buffer.from("price "), euro.subarray(0, 1)]));
  const source = { path: file.path };
  const first = readOutputText({ source, offset: 0, bytesMax: 100 });
  expect(first).toEqual({ data: "price ", nextOffset: 6, isReset: false });
  appendFileSync(file.path, euro.subarray(1));
  const second = readOutputText({ source, offset: first.nextOffset, bytesMax: 100 });
  expect(second).toEqual({ data: "€", nextOffset: 9, isReset: false });
  appendFileSync(file.path, euro.subarray(0, 2));
  expect(readOutputText({ source, offset: second.nextOffset, bytesMax: 100 })).toEqual({ data: "\ufffd", nextOffset: 11, isReset: false });
});

test("at the end there is nothing, until more is written", () => {
  using file = fileWith("one");
  const source = { path: file.path };
  expect(readOutputText({ source, offset: 3, bytesMax: 100 })).toEqual({ data: "", nextOffset: 3, isReset: false });
  appendFileSync(file.path, "two");
  expect(readOutputText({ source, offset: 3, bytesMax: 100 })).toEqual({ data: "two", nextOffset: 6, isReset: false });
});

test("a file that was cut is read again from its start, and says so (V-222)", () => {
  using file = fileWith("a long first content");
  const source = { path: file.path };
  truncateSync(file.path, 0);
  expect(readOutputText({ source, offset: 20, bytesMax: 100 })).toEqual({ data: "", nextOffset: 0, isReset: true });
  appendFileSync(file.path, "new");
  expect(readOutputText({ source, offset: 20, bytesMax: 100 })).toEqual({ data: "new", nextOffset: 3, isReset: true });
});

test("a link in the place of the file is not followed", async () => {
  using file = fileWith("secret");
  const link = `${file.path}.link`;
  symlinkSync(file.path, link);
  const error = await thrownBy(() => readOutput({ source: { path: link }, offset: 0, bytesMax: 100 }));
  expect(systemErrorCode(error)).toBe("ELOOP");
});

test("pieces that could not hold every character are refused", () => {
  using file = fileWith("x");
  expect(() => readOutput({ source: { path: file.path }, offset: 0, bytesMax: 3 })).toThrow("a character may have 4");
});
