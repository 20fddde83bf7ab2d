import { expect, test } from "bun:test";
import { createHeadTail, type HeadTailSnapshot } from "../../src/lib/head-tail.ts";
import { outputExcerpt } from "../../src/lib/output-excerpt.ts";

function snapshot(raw: string, limits = { headBytesMax: 1_000_000, tailBytesMax: 1_000_000 }): HeadTailSnapshot {
  const kept = createHeadTail(limits);
  kept.append(Buffer.from(raw));
  return kept.snapshot();
}

test("short output is shown as it is", () => {
  expect(outputExcerpt(snapshot("one\ntwo\n"), { bytesMax: 100 })).toEqual({ text: "one\ntwo\n", isShortened: false });
});

test("the middle of long output is left out between characters, and counted exactly (A09)", () => {
  const raw = "─┃".repeat(5_000);
  const { text, isShortened } = outputExcerpt(snapshot(raw.replaceAll("┃", "┃\n")), { bytesMax: 1_000 });
  const [, head = "", omitted, tail = ""] = /^(.*?)\n\[\.\.\. (\d+) bytes of output left out \.\.\.\]\n(.*)$/s.exec(text) ?? [];
  expect(isShortened).toBe(true);
  expect(`${head}${tail}`).not.toContain("\ufffd");
  expect(Buffer.byteLength(head) + Number(omitted) + Buffer.byteLength(tail)).toBe(Buffer.byteLength(raw.replaceAll("┃", "┃\n")));
  expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(1_000);
});

test("what was dropped before counts too", () => {
  const raw = "abcdefghij\n".repeat(1_000);
  const { text } = outputExcerpt(snapshot(raw, { headBytesMax: 2_000, tailBytesMax: 2_000 }), { bytesMax: 220 });
  expect(text).toContain(`[... ${raw.length - 220} bytes of output left out ...]`);
});

test("room that one end does not need goes to the other", () => {
  const redraws = "\rworking".repeat(10_000);
  const lines = "0123456789\n".repeat(200);
  const { text } = outputExcerpt(snapshot(`${redraws}\n${lines}`, { headBytesMax: 1_000, tailBytesMax: 3_000 }), { bytesMax: 2_300 });
  expect(text).toContain("working");
  expect(text).toContain(lines.slice(0, 2_000));
});

test("one enormous line is clipped, and that says so (A11)", () => {
  const { text, isShortened } = outputExcerpt(snapshot(`${"x".repeat(120_000)}\nend\n`), { bytesMax: 28_000 });
  expect(text.length).toBeLessThan(2_100);
  expect(text).toContain("118000 more characters");
  expect(text).toEndWith("end\n");
  expect(isShortened).toBe(true);
});
