import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readTextFile } from "../../src/platform/read-text-file.ts";
import { tempDir } from "../support/temp-dir.ts";

test("a file is read whole up to the limit, and what is longer is cut between characters and says so", () => {
  using dir = tempDir();
  const path = join(dir.path, "text");
  writeFileSync(path, "aé");
  expect(readTextFile(path, { bytesMax: 3 })).toEqual({ text: "aé", isCut: false });
  expect(readTextFile(path, { bytesMax: 2 })).toEqual({ text: "a", isCut: true });
});

test("what is no regular file has no text", () => {
  using dir = tempDir();
  mkdirSync(join(dir.path, "folder"));
  expect(readTextFile(join(dir.path, "folder"), { bytesMax: 10 })).toBeUndefined();
});

test("a link is followed only where that is wanted", () => {
  using dir = tempDir();
  const link = join(dir.path, "link");
  writeFileSync(join(dir.path, "text"), "a");
  symlinkSync("text", link);
  expect(() => readTextFile(link, { bytesMax: 10 })).toThrow("ELOOP");
  expect(readTextFile(link, { bytesMax: 10, followLinks: true })).toEqual({ text: "a", isCut: false });
});
