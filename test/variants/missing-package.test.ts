import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/source-tree.ts";
import { tempDir } from "../support/temp-dir.ts";

test("a build without the search program of its target says how to get it, and leaves what was built before", () => {
  using scratch = tempDir();
  for (const name of ["src", "build", "build.ts", "package.json", "bun.lock"]) cpSync(join(ROOT, name), join(scratch.path, name), { recursive: true });
  mkdirSync(join(scratch.path, "dist"));
  writeFileSync(join(scratch.path, "dist", "agent"), "the old one");

  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "build.ts", "--target", "bun-linux-arm64"], { cwd: scratch.path });

  expect(stderr.toString()).toContain(
    `Cannot build for "bun-linux-arm64": "@vscode/ripgrep-linux-arm64" is not installed, run: bun install --frozen-lockfile --os='*' --cpu='*'`,
  );
  expect(exitCode).toBe(1);
  expect(readFileSync(join(scratch.path, "dist", "agent"), "utf8")).toBe("the old one");
  expect(readdirSync(join(scratch.path, "dist"))).toEqual(["agent"]);
});
