import { expect, test } from "bun:test";
import { createHeadTail } from "../../src/lib/head-tail.ts";

const text = (bytes: Uint8Array) => new TextDecoder("utf-8", { fatal: true }).decode(bytes);

test("keeps everything while it fits", () => {
  const kept = createHeadTail({ headBytesMax: 4, tailBytesMax: 4 });
  for (const part of ["ab", "cde", "f", "gh"]) kept.append(Buffer.from(part));
  const { head, tail, ...counts } = kept.snapshot();
  expect(text(head) + text(tail)).toBe("abcdefgh");
  expect(counts).toEqual({ totalBytes: 8, droppedBytes: 0 });
});

test("keeps both ends of more and counts the bytes between, whatever the pieces it comes in", () => {
  const whole = Array.from({ length: 10_000 }, (_, index) => `line ${index}\n`).join("");
  for (const size of [1, 7, 100, 4_096, whole.length]) {
    const kept = createHeadTail({ headBytesMax: 100, tailBytesMax: 300 });
    for (let start = 0; start < whole.length; start += size) kept.append(Buffer.from(whole.slice(start, start + size)));
    const { head, tail, totalBytes, droppedBytes } = kept.snapshot();
    expect(text(head)).toBe(whole.slice(0, 100));
    expect(text(tail)).toBe(whole.slice(-300));
    expect([totalBytes, droppedBytes]).toEqual([whole.length, whole.length - 400]);
  }
});

test("cuts between characters and counts what that leaves out (A09)", () => {
  for (let headBytesMax = 10; headBytesMax < 14; headBytesMax++) {
    const kept = createHeadTail({ headBytesMax, tailBytesMax: 11 });
    kept.append(Buffer.from("┃😀".repeat(1_000)));
    const { head, tail, totalBytes, droppedBytes } = kept.snapshot();
    expect(text(head)).toMatch(/^[┃😀]+$/u);
    expect(text(tail)).toMatch(/^[┃😀]+$/u);
    expect(head.length + droppedBytes + tail.length).toBe(totalBytes);
  }
});

test("a snapshot does not change with what comes later", () => {
  const kept = createHeadTail({ headBytesMax: 2, tailBytesMax: 2 });
  kept.append(Buffer.from("abcd"));
  const before = kept.snapshot();
  kept.append(Buffer.from("efghijkl"));
  expect(text(before.head) + text(before.tail)).toBe("abcd");
});
