import { expect, test } from "bun:test";
import { createColoredTerminalText } from "../../src/lib/colored-terminal-text.ts";

function shown(...pieces: string[]): string {
  const text = createColoredTerminalText();
  return pieces.map((piece) => text.push(piece)).join("") + text.end();
}

test("colors and carriage returns pass, and colors end at the end", () => {
  expect(shown("\u001b[1;31mred\u001b[0m 10%\r20%\n")).toBe("\u001b[1;31mred\u001b[0m 10%\r20%\n\u001b[0m");
  expect(shown("plain\r\n")).toBe("plain\r\n");
});

test.each([
  ["cursor movement and erasing", "a\u001b[2J\u001b[1;1Hb\u001b[?25l"],
  ["the window's title", "a\u001b]0;owned\u0007b"],
  ["the clipboard", "a\u001b]52;c;cm0gLXJm\u001b\\b"],
  ["device control", "a\u001bP+q544e\u001b\\b"],
  ["a reset of the terminal", "a\u001bcb"],
  ["character sets", "a\u001b(0b"],
])("%s is taken out", (_what, text) => {
  expect(shown(text)).toBe("ab");
});

test("other control characters are shown", () => {
  expect(shown("a\u0008\u0000\u009b31mb\u202e")).toBe("a␈␀<U+009B>31mb<U+202E>");
});

test("a sequence that is cut between pieces is recognized", () => {
  expect(shown("a\u001b", "[3", "1mb")).toBe("a\u001b[31mb\u001b[0m");
  expect(shown("a\u001b]0;ti", "tle", "\u0007b")).toBe("ab");
  expect(shown("a\u001b]0;title\u001b", "\\b")).toBe("ab");
});

test("what never ends is shown as far as it goes, and not held for ever", () => {
  expect(shown("a\u001b")).toBe("a␛");
  expect(shown("\u001b]0;", "x".repeat(5_000), "y")).toBe(`␛]0;${"x".repeat(5_000)}y`);
});
