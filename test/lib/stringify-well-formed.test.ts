import { expect, test } from "bun:test";
import { stringifyWellFormed } from "../../src/lib/stringify-well-formed.ts";

test("half a surrogate pair is replaced in values and keys, however deep", () => {
  expect(stringifyWellFormed({ "k\udc00": ["a\ud800", { b: "\udfff" }] })).toBe('{"k\ufffd":["a\ufffd",{"b":"\ufffd"}]}');
});

test("whole pairs and text that looks like an escape stay as they are", () => {
  for (const value of [{ a: "😀" }, { a: "\\ud800" }, { a: "\\\\ud800 \\" }, null, 1, "x"]) {
    expect(JSON.parse(stringifyWellFormed(value))).toEqual(value);
  }
});

test("what has no JSON is refused", () => {
  expect(() => stringifyWellFormed(undefined)).toThrow("has none");
});
