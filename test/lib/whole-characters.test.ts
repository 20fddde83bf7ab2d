import { expect, test } from "bun:test";
import { wholeCharactersLength } from "../../src/lib/whole-characters.ts";

test("a cut inside a character is moved to its start", () => {
  const bytes = Buffer.from("aé€😀z");
  const lengths = Array.from({ length: bytes.length + 1 }, (_, length) => wholeCharactersLength(bytes, length));
  expect(lengths).toEqual([0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11]);
});

test.each([
  ["a lone continuation byte", [0x80]],
  ["many continuation bytes", [0x61, 0x80, 0x80, 0x80, 0x80]],
  ["a byte that begins no character", [0x61, 0xff]],
  ["an overlong lead", [0xc0]],
])("%s counts as whole", (_name, bytes) => {
  expect(wholeCharactersLength(Uint8Array.from(bytes))).toBe(bytes.length);
});
