import { expect, test } from "bun:test";
import { appendFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventOfType } from "../../src/store/event-line.ts";
import { openEventLines } from "../../src/store/event-lines.ts";
import { testState } from "../support/test-state.ts";
import { appErrorOf } from "../support/thrown.ts";

function opened() {
  const state = testState();
  const path = join(state.path, "run-1.ndjson");
  writeFileSync(path, "", { mode: 0o600 });
  const lines = openEventLines({ directory: state.directory.root, runId: "run-1" });
  return {
    path,
    read: () => lines.read().map((line) => Buffer.from(line).toString()),
    [Symbol.dispose]() {
      lines.close();
      state[Symbol.dispose]();
    },
  };
}

test("lines come once, in their order, and only when they are whole", () => {
  using log = opened();
  expect(log.read()).toEqual([]);
  appendFileSync(log.path, "one\ntwo\nthr");
  expect(log.read()).toEqual(["one\n", "two\n"]);
  expect(log.read()).toEqual([]);
  appendFileSync(log.path, "ee\n");
  expect(log.read()).toEqual(["three\n"]);
});

test("a torn line that is cut off and written anew is read as it stands then", () => {
  using log = opened();
  appendFileSync(log.path, "one\ntorn and long");
  expect(log.read()).toEqual(["one\n"]);
  truncateSync(log.path, 4);
  appendFileSync(log.path, "2\n3\n");
  expect(log.read()).toEqual(["2\n", "3\n"]);
});

test("a line may be longer than a step, and a log longer than memory should hold", () => {
  using log = opened();
  const long = `${"x".repeat(1_048_576)}\n`;
  appendFileSync(log.path, `a\n${long}b\n`);
  const read = [log.read(), log.read(), log.read(), log.read()].flat();
  expect(read.map((line) => line.length)).toEqual([2, 1_048_577, 2]);
  expect(read[1]).toBe(long);
});

test("a line without an end is a damaged log", async () => {
  using log = opened();
  appendFileSync(log.path, "x".repeat(5 * 1_048_576));
  expect(await appErrorOf(() => log.read())).toMatchObject({ reason: "storage", code: "damaged_log" });
});

test("a link is not followed, and nothing is not_found", async () => {
  using state = testState();
  writeFileSync(join(state.path, "other"), "secret\n");
  symlinkSync("other", join(state.path, "run-1.ndjson"));
  const open = (runId: string) => appErrorOf(() => openEventLines({ directory: state.directory.root, runId }));
  expect(await open("run-1")).toMatchObject({ reason: "storage" });
  expect(await open("run-2")).toMatchObject({ reason: "not_found", code: "no_events" });
});

test.each([
  ['{"seq":1,"type":"run.result"}', true],
  ['{"seq":1,"type":"tool.started","input":{"type":"run.result"}}', false],
  ['{"seq":1,"type":"log","message":"\\"type\\":\\"run.result\\""}', false],
  ['"type":"run.result"', false],
])("whether %s is a run.result is known", (line, isResult) => {
  expect(eventOfType(Buffer.from(`${line}\n`), "run.result") !== undefined).toBe(isResult);
});
