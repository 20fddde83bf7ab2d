import { expect, test } from "bun:test";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nextLineStart, offsetOfLastLines } from "../../src/store/line-offsets.ts";
import { stretchOf } from "../support/stretch-of.ts";
import { tempDir } from "../support/temp-dir.ts";

function withFile<Value>(text: string, use: (fd: number) => Value): Value {
  using directory = tempDir();
  const path = join(directory.path, "file");
  writeFileSync(path, text);
  const fd = openSync(path, "r");
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

function tail(text: string, count: number): string {
  return text.slice(withFile(text, (fd) => offsetOfLastLines(stretchOf(fd), count)));
}

function lineFrom(text: string, offset: number): string {
  return text.slice(withFile(text, (fd) => nextLineStart(stretchOf(fd), offset)));
}

test("the last lines are found, finished or not", () => {
  expect(tail("a\nb\nc\n", 2)).toBe("b\nc\n");
  expect(tail("a\nb\nc", 2)).toBe("b\nc");
  expect(tail("a\n\n\n", 2)).toBe("\n\n");
  expect(tail("\na\n", 1)).toBe("a\n");
});

test("a file with fewer lines begins at its start, and none of them is its end", () => {
  expect(tail("a\nb\n", 5)).toBe("a\nb\n");
  expect(tail("a\nb\n", 0)).toBe("");
  expect(tail("", 3)).toBe("");
});

test("lines longer than a step are found", () => {
  const line = "x".repeat(100_000);
  expect(tail(`first\n${line}\n${line}\n`, 2)).toBe(`${line}\n${line}\n`);
  expect(lineFrom(`${line}\nb\n`, 5)).toBe("b\n");
});

test("from inside a line the next one is taken, and from its beginning itself", () => {
  expect(lineFrom("abc\ndef\n", 0)).toBe("abc\ndef\n");
  expect(lineFrom("abc\ndef\n", 1)).toBe("def\n");
  expect(lineFrom("abc\ndef\n", 4)).toBe("def\n");
  expect(lineFrom("abc\ndef", 5)).toBe("");
  expect(lineFrom("abc\n", 4)).toBe("");
});
