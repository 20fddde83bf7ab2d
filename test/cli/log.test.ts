import { expect, test } from "bun:test";
import { createLog, type LogLevel, logLevelOf } from "../../src/cli/log.ts";
import { memoryIo } from "../support/memory-io.ts";

test.each<[LogLevel, readonly string[]]>([
  ["error", ["e"]],
  ["warn", ["e", "w"]],
  ["info", ["e", "w", "i"]],
  ["debug", ["e", "w", "i", "d"]],
])("at level %s these are shown: %j", (level, shown) => {
  const io = memoryIo();
  const log = createLog(io.stderr, { level });
  log.error("e");
  log.warn("w");
  log.info("i");
  log.debug("d");
  expect(io.stderr.text).toBe(shown.map((text) => `agent: ${text}\n`).join(""));
  expect(io.stdout.text).toBe("");
});

test("lines that are repeated are all shown at once", () => {
  const io = memoryIo();
  const log = createLog(io.stderr, { level: "info" });
  for (let index = 0; index < 20; index++) log.warn("again");
  expect(io.stderr.text).toBe("agent: again\n".repeat(20));
});

test("what a terminal would act on is shown instead; formats are not filled in", () => {
  const io = memoryIo();
  createLog(io.stderr, { level: "info" }).info("\u001b[31m100 %s \u202e{}");
  expect(io.stderr.text).toBe("agent: \u241b[31m100 %s <U+202E>{}\n");
});

test.each([
  [undefined, "info"],
  ["", "info"],
  ["loud", "info"],
  ["toString", "info"],
  ["debug", "debug"],
  ["ERROR", "error"],
])("AGENT_LOG %p means %s", (value, level) => {
  expect(logLevelOf({ AGENT_LOG: value })).toBe(level as LogLevel);
});
