import { expect, test } from "bun:test";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encodeEventLine, openEventLog } from "../../src/store/event-log.ts";
import { testState } from "../support/test-state.ts";

function event(seq: number, text = ""): object {
  return { v: 1, seq, type: "log", message: text };
}

test("events are appended, and the last one is known when the log is opened again", () => {
  using state = testState();
  const directory = state.directory.root;
  const first = openEventLog({ directory, runId: "run-1" });
  expect([first.lastSeqAtOpen, first.lastEventAtOpen]).toEqual([0, undefined]);
  for (const seq of [1, 2, 3]) first.append(encodeEventLine(event(seq, "x".repeat(100_000))));
  first.close();
  const second = openEventLog({ directory, runId: "run-1" });
  expect(second.lastSeqAtOpen).toBe(3);
  expect(second.lastEventAtOpen).toEqual({ ...event(3, "x".repeat(100_000)) });
  second.append(encodeEventLine(event(4)));
  second.close();
  const lines = readFileSync(join(state.path, "run-1.ndjson"), "utf8").trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).seq)).toEqual([1, 2, 3, 4]);
});

test("what a vanished run left of its last line is cut off", () => {
  using state = testState();
  const path = join(state.path, "run-1.ndjson");
  writeFileSync(path, encodeEventLine(event(1)));
  appendFileSync(path, '{"v":1,"seq":2,"ty');
  const log = openEventLog({ directory: state.directory.root, runId: "run-1" });
  expect(log.lastSeqAtOpen).toBe(1);
  log.append(encodeEventLine(event(2)));
  log.close();
  expect(readFileSync(path, "utf8")).toBe(encodeEventLine(event(1)) + encodeEventLine(event(2)));
});

test("a log whose last line is damaged can still be completed", () => {
  using state = testState();
  writeFileSync(join(state.path, "run-1.ndjson"), "nonsense\n");
  const log = openEventLog({ directory: state.directory.root, runId: "run-1" });
  expect([log.lastSeqAtOpen, log.lastEventAtOpen]).toEqual([0, undefined]);
  log.close();
});

test("a line has one end, whatever its text holds, and is well-formed Unicode", () => {
  const text = "a\nb\r\u2028c\u2029d \ud800 \\u2028 😀";
  const line = encodeEventLine({ text });
  expect(line.endsWith("}\n")).toBe(true);
  expect(line.slice(0, -1)).not.toMatch(/[\n\r\u2028\u2029]/);
  expect(line.isWellFormed()).toBe(true);
  expect(JSON.parse(line)).toEqual({ text: text.replace("\ud800", "\ufffd") });
});
