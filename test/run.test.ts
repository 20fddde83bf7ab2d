import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runTests } from "./support/run-tests.ts";
import { tempDir } from "./support/temp-dir.ts";

const PASSING = 'import { expect, test } from "bun:test";\ntest("a", () => expect(1).toBe(1));\ntest("b", () => expect(1).toBe(1));\n';
const FAILING = 'import { expect, test } from "bun:test";\ntest("c", () => expect(1).toBe(2));\n';
const QUOTING = 'import { expect, test } from "bun:test";\nconsole.error("\\n 70 pass\\n 0 fail\\nRan 70 tests across 1 file. [1ms]");\ntest("d", () => expect(1).toBe(1));\n';
const UNLOADABLE = 'import "./missing.ts";\n';
const EMPTY = "export {};\n";

test.each([
  ["all pass", { "a.test.ts": PASSING }, { passed: 2, failed: 0 }],
  ["one fails", { "a.test.ts": PASSING, "c.test.ts": FAILING }, { passed: 2, failed: 1 }],
  ["a test shows the summary of another run", { "a.test.ts": PASSING, "d.test.ts": QUOTING }, { passed: 3, failed: 0 }],
  ["a file does not load", { "a.test.ts": PASSING, "u.test.ts": UNLOADABLE }, { passed: 2, failed: 1 }],
  ["a file holds no test", { "e.test.ts": EMPTY }, { passed: 0, failed: 1 }],
  ["there is no file", {}, { passed: 0, failed: 1 }],
])("the counts are right when %s", async (_name, files, expected) => {
  using project = tempDir();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project.path, name), text);
  expect(await runTests({ args: [], cwd: project.path, env: process.env, show: () => {}, timeoutMs: 20_000 })).toEqual(expected);
});

test("a suite that never ends is given up and counts as failed", async () => {
  using project = tempDir();
  writeFileSync(join(project.path, "endless.test.ts"), 'import { test } from "bun:test";\ntest("endless", () => { for (;;); });\n');
  expect(await runTests({ args: [], cwd: project.path, env: process.env, show: () => {}, timeoutMs: 300 })).toEqual({ passed: 0, failed: 1 });
});

test("the end is not missed when a test leaves something behind that keeps the output open", async () => {
  using project = tempDir();
  const leaving = 'import { expect, test } from "bun:test";\ntest("leaves", () => expect(Bun.spawn(["sleep", "20"], { stdio: ["ignore", "ignore", 2], detached: true }).pid).toBeNumber());\n';
  writeFileSync(join(project.path, "leaving.test.ts"), leaving);
  expect(await runTests({ args: [], cwd: project.path, env: process.env, show: () => {}, timeoutMs: 10_000 })).toEqual({ passed: 1, failed: 0 });
}, 15_000);
