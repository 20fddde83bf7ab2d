import { expect, test } from "bun:test";
import { characterStart } from "../../src/lib/character-start.ts";

test("finds where the next character begins", () => {
  const bytes = Buffer.from("a😀b");
  expect([0, 1, 2, 3, 4, 5, 6].map((start) => characterStart(bytes, start))).toEqual([0, 1, 5, 5, 5, 5, 6]);
});

test("gives up after three bytes that begin nothing", () => {
  expect(characterStart(new Uint8Array(10).fill(0x80), 2)).toBe(5);
});
