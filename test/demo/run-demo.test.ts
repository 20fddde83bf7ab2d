import { expect, test } from "bun:test";
import { ROOT } from "../support/source-tree.ts";

test("the demo shows an agent in the background that mends a failing test", () => {
  const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, "test/demo/run-demo.ts"], { cwd: ROOT });
  expect(stderr.toString()).toBe("");
  expect(stdout.toString()).toContain("+  return items.reduce((sum, item) => sum + item.price * item.quantity, 0);");
  expect(stdout.toString()).toContain(`$ agent run --background --model scripted:demo --permission-mode acceptEdits --allow 'Bash(bun test)'`);
  expect(exitCode).toBe(0);
});
