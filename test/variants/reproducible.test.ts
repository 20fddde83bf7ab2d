import { expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../support/source-tree.ts";
import { tempDir } from "../support/temp-dir.ts";

const BUILDER_VALUES = {
  NODE_ENV: "builder-node-env-9d1c",
  ANTHROPIC_API_KEY: "builder-key-9d1c",
  ANTHROPIC_BASE_URL: "http://builder-url-9d1c.invalid",
  AGENT_MODEL: "builder-model-9d1c",
};

test("the same sources give the same bytes, in another directory and on a machine full of secrets too (T-12, A114)", () => {
  using scratch = tempDir();
  const [first, second] = [copySources(join(scratch.path, "first")), copySources(join(scratch.path, "a-longer-name-9d1c"))];
  writeFileSync(join(second, ".env"), "AGENT_VERSION=builder-dotenv-9d1c\nHOME=builder-dotenv-9d1c\n");

  const plain = build(first, "out", {});
  expect(build(first, "again", {}).equals(plain)).toBe(true);
  const elsewhere = build(second, "out", BUILDER_VALUES);
  expect(elsewhere.equals(plain)).toBe(true);

  const leaks = ["9d1c", scratch.path, `${ROOT}/`].filter((text) => elsewhere.includes(text));
  expect(leaks).toEqual([]);
});

function copySources(to: string): string {
  mkdirSync(to);
  for (const name of ["src", "build", "build.ts", "package.json", "bun.lock", "bunfig.toml", "tsconfig.json"]) {
    cpSync(join(ROOT, name), join(to, name), { recursive: true });
  }
  symlinkSync(join(ROOT, "node_modules"), join(to, "node_modules"));
  return to;
}

function build(directory: string, out: string, env: Record<string, string>): Buffer {
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "build.ts", "--out", out], { cwd: directory, env: { ...process.env, ...env } });
  expect(stderr.toString()).toBe("");
  expect(exitCode).toBe(0);
  return readFileSync(join(directory, out, "agent"));
}
