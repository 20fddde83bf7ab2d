import { expect, test } from "bun:test";
import { replaceText } from "../../src/lib/replace-text.ts";

const CHARS_MAX = 1_000_000;

function edited(text: string, old: string, replacement: string, all = false): string {
  const result = replaceText(text, { old, replacement, all, charsMax: CHARS_MAX });
  if (result.type !== "replaced") throw new Error(`Expected a replacement, got ${result.type}`);
  return result.text;
}

test.each([
  ["CRLF", "a\r\nb\r\nc\r\n", "a\nb", "a\nB\nnew", "a\r\nB\r\nnew\r\nc\r\n"],
  ["LF", "a\nb\nc\n", "a\nb", "a\nB\nnew", "a\nB\nnew\nc\n"],
  ["lone CR", "a\rb\rc\r", "a\nb", "a\nB\nnew", "a\rB\rnew\rc\r"],
  ["CRLF given as CRLF", "a\r\nb\r\n", "a\r\nb", "a\r\nx\r\nb", "a\r\nx\r\nb\r\n"],
  ["LF, with the new text given as CRLF", "a\nb\n", "a", "a\r\nx", "a\nx\nb\n"],
  ["CRLF without a last line end", "a\r\nb", "b", "b\nc", "a\r\nb\r\nc"],
  ["CRLF, one line made two in the middle", "a\r\nb\r\nc", "b", "b1\nb2", "a\r\nb1\r\nb2\r\nc"],
  ["no line end at all", "a", "a", "a\nb", "a\nb"],
  ["CR CR LF", "a\r\r\nb\r\n", "b", "c", "a\r\r\nc\r\n"],
])("new lines follow the style of a file with %s (A106)", (_what, text, old, replacement, expected) => {
  expect(edited(text, old, replacement)).toBe(expected);
});

test.each([
  ["context lines keep their own ends", "a\r\nb\nc\r\nd\n", "a\nb\nc", "a\nB\nc", "a\r\nB\nc\r\nd\n"],
  ["a changed line keeps the end it had", "a\r\nb\nc\r\n", "a\nb\n", "A\nB\n", "A\r\nB\nc\r\n"],
  ["an inserted line takes the end of its place", "a\nb\r\nc\r\nd\n", "b\nc", "b\nnew\nc", "a\nb\r\nnew\r\nc\r\nd\n"],
  ["the rest keeps its mixture", "x\r\ny\nz\rw", "y", "Y", "x\r\nY\nz\rw"],
  ["lines after an insertion keep their ends", "a\nb\r\nc\nd", "a\nb\nc\nd", "a\nnew\nb\nc\nd", "a\nnew\r\nb\r\nc\nd"],
])("in a file of mixed line ends %s (A106)", (_what, text, old, replacement, expected) => {
  expect(edited(text, old, replacement)).toBe(expected);
});

test("a passage that stands twice is refused, also where the two overlap", () => {
  const params = { replacement: "x", all: false, charsMax: CHARS_MAX };
  expect(replaceText("a b a", { ...params, old: "a" })).toEqual({ type: "ambiguous", count: 2 });
  expect(replaceText("aaa", { ...params, old: "aa" })).toEqual({ type: "ambiguous", count: 2 });
  expect(replaceText("abc", { ...params, old: "d" })).toEqual({ type: "not_found" });
  expect(replaceText("abc", { ...params, old: "" })).toEqual({ type: "not_found" });
});

test("all occurrences are replaced and counted where that is asked for", () => {
  const result = replaceText("a\r\nb\r\na\r\n", { old: "a\n", replacement: "c\nd\n", all: true, charsMax: CHARS_MAX });
  expect(result).toEqual({ type: "replaced", text: "c\r\nd\r\nb\r\nc\r\nd\r\n", count: 2, offset: 0 });
});

test("a pair of carriage return and line feed is one line end, not two", () => {
  expect(replaceText("a\r\nb", { old: "a\n\nb", replacement: "x", all: false, charsMax: CHARS_MAX }).type).toBe("not_found");
});

test("text that means something in a pattern is taken as it stands", () => {
  expect(edited("f($1, $&) [.*]", "$1, $&) [.*]", "$$ $'")).toBe("f($$ $'");
});

test("a result beyond the limit is refused before it is made", () => {
  expect(replaceText("a".repeat(1_000), { old: "a", replacement: "b".repeat(1_000), all: true, charsMax: 10_000 })).toEqual({ type: "too_large" });
});
