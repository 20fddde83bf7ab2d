import { expect, test } from "bun:test";
import { wellFormed } from "../../src/lib/well-formed.ts";

test("halves of surrogate pairs become U+FFFD everywhere, and nothing else changes", () => {
  const value: unknown = { "k\ud800": ["a\udc00b", 1, null, true, { deep: "👋" }], __proto__: { inherited: 1 } };
  expect(wellFormed(value)).toEqual({ "k\ufffd": ["a\ufffdb", 1, null, true, { deep: "👋" }] });
});

test("a member named __proto__ stays a member", () => {
  expect(JSON.stringify(wellFormed(JSON.parse('{"__proto__":{"a":"\\ud800"}}')))).toBe('{"__proto__":{"a":"\ufffd"}}');
});
