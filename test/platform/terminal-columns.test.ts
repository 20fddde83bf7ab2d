import { expect, test } from "bun:test";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { terminalColumns } from "../../src/platform/terminal-columns.ts";
import { ROOT } from "../support/source-tree.ts";
import { runInTerminal } from "../support/terminal.ts";

test("what is no terminal has no width", () => {
  const fd = openSync("/dev/null", "r");
  expect(terminalColumns(fd)).toBeUndefined();
  closeSync(fd);
  expect(terminalColumns(fd)).toBeUndefined();
});

test("a terminal says its width", async () => {
  const script = `console.log("columns " + (await import("${join(ROOT, "src/platform/terminal-columns.ts")}")).terminalColumns(1))`;
  const { shown } = await runInTerminal([process.execPath, "-e", script], { cwd: ROOT, env: {}, columns: 77 });
  expect(shown).toContain("columns 77");
});
