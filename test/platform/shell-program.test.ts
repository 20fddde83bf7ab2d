import { expect, test } from "bun:test";
import { shellProgram } from "../../src/platform/shell-program.ts";
import { appErrorOf } from "../support/thrown.ts";

test("bash comes before sh", () => {
  expect(shellProgram(() => true)).toBe("/bin/bash");
  expect(shellProgram((path) => path !== "/bin/bash")).toBe("/usr/bin/bash");
  expect(shellProgram((path) => path === "/bin/sh")).toBe("/bin/sh");
});

test("the shell of this machine can be run", () => {
  expect(Bun.spawnSync([shellProgram(), "-c", "echo ok"]).stdout.toString()).toBe("ok\n");
});

test("a machine without a shell is told so", async () => {
  expect(await appErrorOf(() => shellProgram(() => false))).toMatchObject({ reason: "failed", code: "no_shell" });
});
