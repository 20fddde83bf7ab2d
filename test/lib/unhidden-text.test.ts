import { expect, test } from "bun:test";
import { clipMiddle } from "../../src/lib/clip-middle.ts";
import { unhiddenText } from "../../src/lib/unhidden-text.ts";

test.each([
  ["what steers a terminal", "a\u001b[2J\u009b1m\rb", "a␛[2J<U+009B>1m␍b"],
  ["what reorders", "a\u202eb\u2066c", "a<U+202E>b<U+2066>c"],
  ["what cannot be seen", "a\u200bb\u200dc\u{e0041}d\ufe0fe\u3164f\u115fg", "a<U+200B>b<U+200D>c<U+E0041>d<U+FE0F>e<U+3164>f<U+115F>g"],
  ["what looks like a space", "rm\u00a0x\u2003y\u2800z", "rm<U+00A0>x<U+2003>y<U+2800>z"],
  ["as many blanks as indent", `a${" ".repeat(8)}b`, `a${" ".repeat(8)}b`],
  ["many blanks", `grep x /dev/null;${" ".repeat(387)}canary`, "grep x /dev/null;⟨387 spaces⟩canary"],
  ["many tabs", `a${"\t".repeat(20)}b`, "a⟨20 blanks⟩b"],
  ["two empty lines", "a\n\n\nb", "a\n\n\nb"],
  ["many empty lines", `a${"\n  ".repeat(40)}\nb`, "a\n⟨40 empty lines⟩\nb"],
])("%s", (_what, text, shown) => {
  expect(unhiddenText(text)).toBe(shown);
});

test("a text that is too long keeps its beginning and its end, and says what is missing", () => {
  expect(clipMiddle("a".repeat(8), 8)).toBe("a".repeat(8));
  expect(clipMiddle(`${"a".repeat(6)}${"b".repeat(100)}zz`, 8)).toBe("aaaaaa ⟨100 characters left out⟩ zz");
});
