import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/source-tree.ts";
import { tempDir } from "../support/temp-dir.ts";

test.each([
  [["--flag", "WORKFLOW_SCRIPT=off"], 'Cannot set flag "WORKFLOW_SCRIPT": the known flags are WORKFLOW_SCRIPTS, MONITOR_TOOL'],
  [["--flag", "toString=off"], 'Cannot set flag "toString": the known flags are WORKFLOW_SCRIPTS, MONITOR_TOOL'],
  [["--flag", "MONITOR_TOOL=false"], 'Cannot set flag "MONITOR_TOOL" to "false": a flag is "on" or "off"'],
  [["--flag", "MONITOR_TOOL"], 'Cannot set flag "MONITOR_TOOL" to "": a flag is "on" or "off"'],
  [["--target", "bun-linux-x86"], 'Cannot build for "bun-linux-x86": the known targets are bun-linux-x64, '],
  [["--all-variants", "--flag", "MONITOR_TOOL=on"], 'Cannot combine "--all-variants" with "--flag"'],
  [["--flags", "MONITOR_TOOL=on"], "Unknown option '--flags'"],
  [["--target"], "'--target <value>' argument missing"],
  [["MONITOR_TOOL=on"], "Unexpected argument 'MONITOR_TOOL=on'"],
])("the builder refuses %p before it builds anything", (args, message) => {
  using scratch = tempDir();
  const out = join(scratch.path, "out");
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, "build.ts", "--out", out, ...args], { cwd: ROOT });
  expect(stderr.toString()).toContain(message);
  expect(stdout.toString()).toBe("");
  expect(exitCode).toBe(2);
  expect(existsSync(out)).toBe(false);
});
