import { expect, test } from "bun:test";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOutputTail } from "../../src/store/output-tail.ts";
import { stretchOf } from "../support/stretch-of.ts";
import { tempDir } from "../support/temp-dir.ts";

function tail(text: string, bytesMax: number) {
  using directory = tempDir();
  const path = join(directory.path, "file");
  writeFileSync(path, text);
  const fd = openSync(path, "r");
  const { bytes, omittedBytes } = readOutputTail(stretchOf(fd), bytesMax);
  closeSync(fd);
  return { text: Buffer.from(bytes).toString(), omittedBytes };
}

test("a short file is whole", () => {
  expect(tail("häh", 4)).toEqual({ text: "häh", omittedBytes: 0 });
  expect(tail("", 4)).toEqual({ text: "", omittedBytes: 0 });
});

test("of a long one the end is there, from the beginning of a character on, and what is missing is counted", () => {
  expect(tail("abcdef", 4)).toEqual({ text: "cdef", omittedBytes: 2 });
  expect(tail("a😀b", 4)).toEqual({ text: "b", omittedBytes: 5 });
});
