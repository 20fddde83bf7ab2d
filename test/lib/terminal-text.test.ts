import { expect, test } from "bun:test";
import { terminalText } from "../../src/lib/terminal-text.ts";

test.each([
  ["plain text stays", "a\tb\nc – ü 😀\n", "a\tb\nc – ü 😀\n"],
  ["colors", "\u001b[1;31mred\u001b[0m and \u001b[38;5;12mblue\u001b[m", "red and blue"],
  ["8-bit sequences", "\u009b31mred\u009b0m", "red"],
  ["a title and a clipboard write", "\u001b]0;title\u0007a\u001b]52;c;c2VjcmV0\u001b\\b", "ab"],
  ["a device control string", "a\u001bPq#0;1\u001b\\b", "ab"],
  ["short escapes", "\u001b7a\u001b8\u001b(Bb\u001b=c", "abc"],
  ["CRLF line ends", "one\r\ntwo\r\n", "one\ntwo\n"],
  ["a redrawn line", "10%\r50%\r100%\n", "100%\n"],
  ["a shorter redraw covers only its part", "abcdef\rXY\n", "XYcdef\n"],
  ["erase to the end of the line", "abcdef\rXY\u001b[K\n", "XY\n"],
  ["erase the line", "loading\u001b[2K\rdone\n", "done\n"],
  ["cursor to a column", "abc\u001b[1GX\u001b[5Gz", "Xbc z"],
  ["cursor left and right", "abc\u001b[2DX\u001b[2CY", "aXc Y"],
  ["backspaces", "abc\b\bX", "aXc"],
  ["overstrike, as man does it", "b\bbo\bol\bld\bd", "bold"],
  ["control characters are shown", "a\0b\u0007c\u007f", "a␀b␇c␡"],
  ["an unterminated title hides nothing", "\u001b]0;rm -rf\nnext", "0;rm -rf\nnext"],
  ["an escape at the very end", "abc\u001b", "abc"],
  ["an incomplete sequence at the very end", "abc\u001b[31", "abc31"],
])("%s", (_name, raw, shown) => {
  expect(terminalText(raw)).toBe(shown);
});

test("shows the last state of a bar that was redrawn 5,000 times (A12)", () => {
  const redraws = Array.from({ length: 5_000 }, (_, index) => `\r\u001b[32mprogress ${index + 1} of 5000\u001b[0m`).join("");
  expect(terminalText(`${redraws}\nfinished\n`)).toBe("progress 5000 of 5000\nfinished\n");
});

test.each([
  ["escapes that begin nothing", "\u001b]".repeat(200_000)],
  ["cursor jumps", "\u001b[999999999Gx\u001b[2K".repeat(20_000)],
  ["erased long lines", `${"x".repeat(200_000)}${"\r\u001b[K".repeat(50_000)}`],
  ["parameters without an end", `\u001b[${"1;".repeat(200_000)}`],
  ["one long line of redraws", `${"x".repeat(200_000)}${"\ry".repeat(100_000)}`],
])("takes time in proportion to its input: %s (A10)", (_name, raw) => {
  const start = performance.now();
  terminalText(raw);
  expect(performance.now() - start).toBeLessThan(2_000);
});
