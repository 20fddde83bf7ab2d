import { expect, test } from "bun:test";
import { runCli } from "../../../src/cli/main.ts";
import { TASK_TYPES } from "../../../src/core/task.ts";
import { getAllTools } from "../../../src/tools/registry.ts";
import { memoryIo } from "../../support/memory-io.ts";
import { NO_LAUNCHER } from "../../support/no-launcher.ts";

test("--json lists what this build contains", async () => {
  const io = memoryIo();
  expect(await runCli(["features", "--json"], io)).toBe(0);
  const features = JSON.parse(io.stdout.text);
  expect(features).toMatchObject({ v: 1, flags: { WORKFLOW_SCRIPTS: true, MONITOR_TOOL: true }, task_types: TASK_TYPES });
  expect(features.tools).toEqual(getAllTools(NO_LAUNCHER).map(({ name }) => name));
  expect(features.commands).toContain("features");
  expect(features.commands).not.toContain("run-process");
});

test("people get a table", async () => {
  const io = memoryIo();
  expect(await runCli(["features"], io)).toBe(0);
  expect(io.stdout.text).toStartWith(`WORKFLOW_SCRIPTS  on\nMONITOR_TOOL      on\ntask types        local_bash, `);
});
