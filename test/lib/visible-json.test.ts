import { expect, test } from "bun:test";
import { visibleJson } from "../../src/lib/visible-json.ts";

test.each(["\u009b31m", "\u007f", "a\u202eb\u200bc\u2028d\u2029", "\ufeff", "\u{e0041}\u{e0100}", "plain ü 😀 👨‍👩‍👧"])("%j is the same value, with nothing in it that a terminal obeys or hides", (text) => {
  const json = visibleJson(JSON.stringify({ [text]: [text] }));
  expect(JSON.parse(json)).toEqual({ [text]: [text] });
  expect(json).not.toMatch(/[\u007f-\u009f\u200b\u2028-\u202e\ufeff]|\u{e0041}/u);
});

test("what is harmless stays readable", () => {
  expect(visibleJson('{"a":"ü 😀 \\\\u009b"}')).toBe('{"a":"ü 😀 \\\\u009b"}');
});
