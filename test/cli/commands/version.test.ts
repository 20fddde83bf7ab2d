import { expect, test } from "bun:test";
import { runCli } from "../../../src/cli/main.ts";
import { memoryIo } from "../../support/memory-io.ts";

test.each([[["version"]], [["--version"]], [["-V"]]])("%j prints one line", async (argv) => {
  const io = memoryIo();
  expect(await runCli(argv, io)).toBe(0);
  expect(io.stdout.text).toBe("agent 0.0.0-source\n");
  expect(io.stderr.text).toBe("");
});

test("--json prints what the build was made from", async () => {
  const io = memoryIo();
  expect(await runCli(["version", "--json"], io)).toBe(0);
  expect(JSON.parse(io.stdout.text)).toEqual({
    v: 1,
    version: "0.0.0-source",
    commit: "unknown",
    bun: Bun.version,
    target: "source",
    flags: { WORKFLOW_SCRIPTS: true, MONITOR_TOOL: true },
  });
});
