import { expect, test } from "bun:test";
import { clipLine } from "../../src/lib/clip-line.ts";
import { lineNumberAt, lineRange } from "../../src/lib/line-range.ts";

test.each([
  ["LF", "a\nb\nc\n", ["a", "b", "c"]],
  ["CRLF", "a\r\nb\r\nc", ["a", "b", "c"]],
  ["lone CR throughout", "a\rb\rc\r", ["a", "b", "c"]],
  ["a carriage return inside an LF file", "10%\r20%\nb\n", ["10%\r20%", "b"]],
  ["empty lines", "\n\n", ["", ""]],
  ["nothing", "", []],
])("lines are counted as compilers count them: %s", (_what, text, lines) => {
  expect(lineRange(text, { first: 1, count: 100 })).toEqual({ lines, total: lines.length });
});

test("a range starts at its first line, and the total counts all", () => {
  expect(lineRange("a\nb\nc\nd", { first: 2, count: 2 })).toEqual({ lines: ["b", "c"], total: 4 });
  expect(lineRange("a\nb", { first: 9, count: 2 })).toEqual({ lines: [], total: 2 });
  expect(lineNumberAt("a\r\nb\r\nc", 6)).toBe(3);
});

test("a clipped line says how much is missing and never ends in half a character (A09, A11)", () => {
  expect(clipLine("abcdef", 4)).toBe("abcd [2 more characters]");
  expect(clipLine("abc🎉def", 4)).toBe("abc [5 more characters]");
  expect(clipLine("abcd", 4)).toBe("abcd");
});
