import { expect, test } from "bun:test";
import { decodeText, encodeText } from "../../src/lib/text-encoding.ts";

const utf16be = (text: string) => Buffer.from(text, "utf16le").swap16();

const FILES: readonly (readonly [string, Uint8Array, string])[] = [
  ["utf-8", Buffer.from("grüße 🎉\n"), "grüße 🎉\n"],
  ["utf-8-bom", Buffer.from("\ufeffgrüße\r\n"), "grüße\r\n"],
  ["utf-16le", Buffer.concat([Uint8Array.of(0xff, 0xfe), Buffer.from("grüße 🎉", "utf16le")]), "grüße 🎉"],
  ["utf-16be", Buffer.concat([Uint8Array.of(0xfe, 0xff), utf16be("grüße 🎉")]), "grüße 🎉"],
  ["latin1", Uint8Array.of(0x67, 0x72, 0xfc, 0xdf, 0x65, 0x0a), "grüße\n"],
];

test.each(FILES)("%s text is shown clean and comes back byte for byte (A107)", (encoding, bytes, text) => {
  const decoded = decodeText(bytes);
  expect(decoded).toEqual({ text, encoding } as never);
  expect(Buffer.from(encodeText(text, encoding as never) ?? []).toString("hex")).toBe(Buffer.from(bytes).toString("hex"));
});

test("decoding leaves the caller's bytes alone", () => {
  const bytes = Buffer.concat([Uint8Array.of(0xfe, 0xff), utf16be("ab")]);
  const before = bytes.toString("hex");
  decodeText(bytes);
  expect(bytes.toString("hex")).toBe(before);
});

test.each([
  ["a NUL", Buffer.from("a\0b")],
  ["UTF-16 of an odd length", Uint8Array.of(0xff, 0xfe, 0x61)],
  ["half a surrogate pair", Uint8Array.of(0xff, 0xfe, 0x00, 0xd8)],
  ["control characters that are not UTF-8", Uint8Array.of(0x1f, 0x8b, 0x08, 0x03, 0xff)],
  ["UTF-32", Uint8Array.of(0xff, 0xfe, 0x00, 0x00, 0x61, 0x00, 0x00, 0x00)],
])("%s is no text", (_what, bytes) => {
  expect(decodeText(bytes)).toBeUndefined();
});

test("a character that an encoding lacks is not replaced by another one", () => {
  expect(encodeText("–", "latin1")).toBeUndefined();
});

test("a second byte-order mark is text and stays", () => {
  const bytes = Buffer.from("\ufeff\ufeffa");
  const decoded = decodeText(bytes);
  expect(decoded?.text).toBe("\ufeffa");
  expect(Buffer.from(encodeText(decoded?.text ?? "", "utf-8-bom") ?? [])).toEqual(bytes);
});
