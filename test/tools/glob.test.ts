import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { globTool } from "../../src/tools/glob.ts";
import { agentContext, callTool, rule } from "../support/agent-context.ts";
import { tempDir } from "../support/temp-dir.ts";
import { thrownBy } from "../support/thrown.ts";

/** Makes files, each a second newer than the one before. */
function makeFiles(directory: string, names: readonly string[]): void {
  for (const [index, name] of names.entries()) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "");
    utimesSync(path, 1_000 + index, 1_000 + index);
  }
}

async function found(cwd: string, input: object): Promise<readonly string[]> {
  return (await callTool(globTool, input, agentContext(cwd))).content.split("\n");
}

test("the newest files come first, relative to the working directory", async () => {
  using dir = tempDir();
  makeFiles(dir.path, ["src/old.ts", "src/deep/middle.ts", "new.ts", "other.js"]);
  expect(await found(dir.path, { pattern: "**/*.ts" })).toEqual(["new.ts", "src/deep/middle.ts", "src/old.ts"]);
  expect(await found(dir.path, { pattern: "*.ts" })).toEqual(["new.ts"]);
  expect(await found(dir.path, { pattern: "*.ts", path: "src" })).toEqual(["src/old.ts"]);
  expect(await found(dir.path, { pattern: "src/**/*.{ts,js}" })).toEqual(["src/deep/middle.ts", "src/old.ts"]);
  expect(await found(dir.path, { pattern: `${dir.path}/src/*.ts` })).toEqual(["src/old.ts"]);
  expect(await found(dir.path, { pattern: "src/old.ts" })).toEqual(["src/old.ts"]);
  expect(await found(dir.path, { pattern: "*.rs" })).toEqual(["No files found"]);
});

test("hidden and ignored files are found, .git and node_modules only where they are named", async () => {
  using dir = tempDir();
  makeFiles(dir.path, [".gitignore", ".git/config.ts", "node_modules/x/i.ts", ".hidden/a.ts", "dist/b.ts"]);
  writeFileSync(join(dir.path, ".gitignore"), "dist\n");
  expect(await found(dir.path, { pattern: "**/*.ts" })).toEqual(["dist/b.ts", ".hidden/a.ts"]);
  expect(await found(dir.path, { pattern: "node_modules/**/*.ts" })).toEqual(["node_modules/x/i.ts"]);
});

test("a hundred files are shown, and that there are more is said", async () => {
  using dir = tempDir();
  makeFiles(dir.path, Array.from({ length: 150 }, (_, index) => `f${index}`));
  const lines = await found(dir.path, { pattern: "*" });
  expect(lines[0]).toBe("f149");
  expect(lines[99]).toBe("f50");
  expect(lines.slice(100)).toEqual(["[There are more files: only 100 are shown; use a narrower pattern]"]);
});

test("linked directories are not entered, and a search outside is refused", async () => {
  using dir = tempDir();
  using outside = tempDir();
  makeFiles(outside.path, ["secret.ts"]);
  symlinkSync(outside.path, join(dir.path, "link"));
  expect(await found(dir.path, { pattern: "**/*.ts" })).toEqual(["No files found"]);
  for (const input of [{ pattern: "link/*.ts" }, { pattern: "*", path: ".." }, { pattern: "../*" }, { pattern: "/etc/*" }]) {
    expect(String(await thrownBy(() => found(dir.path, input)))).toContain("outside the working directories");
  }
});

test("files that a rule keeps from being read are not shown, and names cannot pass for options (V-198)", async () => {
  using dir = tempDir();
  makeFiles(dir.path, ["-rf", "--output=x", "a\nb", "secrets/key", ".env"]);
  const context = agentContext(dir.path, { rules: [rule("deny", "Read", "secrets/**"), rule("deny", "Read", "**/.env")] });
  expect((await callTool(globTool, { pattern: "**" }, context)).content).toBe("a\\x0ab\n--output=x\n-rf");
  expect((await callTool(globTool, { pattern: "--files" }, context)).content).toBe("No files found");
});

test("a pattern that is none is an error that says why, and a stopped turn ends the search", async () => {
  using dir = tempDir();
  expect(String(await thrownBy(() => found(dir.path, { pattern: "{a" })))).toContain("unclosed alternate group");
  const stopped = AbortSignal.abort(new Error("stopped"));
  expect(String(await thrownBy(() => callTool(globTool, { pattern: "*" }, agentContext(dir.path), stopped)))).toContain("stopped");
});
