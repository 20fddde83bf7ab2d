import { expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { grepTool } from "../../src/tools/grep.ts";
import { agentContext, callTool, rule } from "../support/agent-context.ts";
import { tempDir } from "../support/temp-dir.ts";
import { appErrorOf, thrownBy } from "../support/thrown.ts";

async function grep(cwd: string, input: object): Promise<string> {
  return (await callTool(grepTool, input, agentContext(cwd))).content;
}

test("each output mode shows what it is for", async () => {
  using dir = tempDir();
  mkdirSync(join(dir.path, "src"));
  writeFileSync(join(dir.path, "src/a.ts"), "one\ntwo\nthree\nfour\nTWO\n");
  writeFileSync(join(dir.path, "b.md"), "two\r\n");
  expect(await grep(dir.path, { pattern: "two" })).toBe("b.md\nsrc/a.ts");
  expect(await grep(dir.path, { pattern: "two", output_mode: "count", ignore_case: true })).toBe("b.md:1\nsrc/a.ts:2");
  expect(await grep(dir.path, { pattern: "t[wh]", output_mode: "content" })).toBe("b.md:1:two\nsrc/a.ts:2:two\nsrc/a.ts:3:three");
  expect(await grep(dir.path, { pattern: "two", output_mode: "content", context: 1, glob: "*.ts", ignore_case: true })).toBe(
    "src/a.ts-1-one\nsrc/a.ts:2:two\nsrc/a.ts-3-three\nsrc/a.ts-4-four\nsrc/a.ts:5:TWO",
  );
  expect(await grep(dir.path, { pattern: "o", path: "src/a.ts", output_mode: "content", head_limit: 2 })).toBe(
    "src/a.ts:1:one\nsrc/a.ts:2:two\n[There are more results: only the first 2 lines are shown; narrow the search or set head_limit]",
  );
  expect(await grep(dir.path, { pattern: "one|TWO", path: "src", output_mode: "content", context: 0 })).toBe("src/a.ts:1:one\nsrc/a.ts:5:TWO");
  expect(await grep(dir.path, { pattern: "absent" })).toBe("No matches found");
});

test("groups of lines are kept apart where context is shown", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a"), "x\n1\n2\n3\nx\n");
  expect(await grep(dir.path, { pattern: "x", output_mode: "content", context: 1 })).toBe("a:1:x\na-2-1\n--\na-4-3\na:5:x");
});

test("one enormous line does not fill the result (A11)", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "min.js"), `needle ${"é".repeat(120_000)}\n`);
  const content = await grep(dir.path, { pattern: "needle", output_mode: "content" });
  expect(content).toStartWith("min.js:1:needle ééé");
  expect(content.length).toBeLessThan(700);
  expect(content).toContain("omitted");
});

test("a result stays below the limit in lines and bytes", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a"), `${"x".repeat(490)}\n`.repeat(5_000));
  const lines = (await grep(dir.path, { pattern: "x", output_mode: "content", head_limit: 2_000 })).split("\n");
  expect(Buffer.byteLength(lines.join("\n"))).toBeLessThan(grepTool.maxResultBytes);
  expect(lines.at(-1)).toStartWith(`[There are more results: only the first ${lines.length - 1} lines`);
  expect((await grep(dir.path, { pattern: "x", output_mode: "content" })).split("\n").length).toBeLessThanOrEqual(251);
});

test("nothing in a pattern, path or glob passes for an option (V-201)", async () => {
  using dir = tempDir();
  const canary = join(dir.path, "CANARY");
  const script = join(dir.path, "canary.sh");
  writeFileSync(script, `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
  writeFileSync(join(dir.path, "-x"), "--pre=canary\n");
  expect(await grep(dir.path, { pattern: `--pre=${script}` })).toBe("No matches found");
  expect(await grep(dir.path, { pattern: "-f/etc/hostname" })).toBe("No matches found");
  expect(await grep(dir.path, { pattern: "x", glob: `--pre=${script}` })).toBe("No matches found");
  expect(await grep(dir.path, { pattern: "--pre", path: "-x" })).toBe("-x");
  expect(existsSync(canary)).toBe(false);
});

test("a configuration file of the search program has no effect", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a"), "x\n");
  writeFileSync(join(dir.path, "ripgreprc"), "--invert-match\n");
  process.env["RIPGREP_CONFIG_PATH"] = join(dir.path, "ripgreprc");
  try {
    expect(await grep(dir.path, { pattern: "x", path: "a", output_mode: "content" })).toBe("a:1:x");
  } finally {
    delete process.env["RIPGREP_CONFIG_PATH"];
  }
});

test("files that a rule keeps from being read are not shown in any mode", async () => {
  using dir = tempDir();
  mkdirSync(join(dir.path, "secrets"));
  for (const name of ["secrets/key", ".env", "z.txt"]) writeFileSync(join(dir.path, name), "needle\n");
  const context = agentContext(dir.path, { mode: "bypassPermissions", rules: [rule("deny", "Read", "secrets"), rule("deny", "Read", ".env")] });
  for (const mode of ["content", "count", "files_with_matches"]) {
    const { content } = await callTool(grepTool, { pattern: "needle", output_mode: mode }, context);
    expect(content.split("\n")).toHaveLength(1);
    expect(content).toStartWith("z.txt");
  }
  expect(String(await thrownBy(() => callTool(grepTool, { pattern: "needle", path: ".env" }, context)))).toContain("deny:Read(.env)");
});

test("binary files, .git and linked directories are left out; an ignored directory can be named", async () => {
  using dir = tempDir();
  using outside = tempDir();
  for (const name of [".git", "dist"]) mkdirSync(join(dir.path, name));
  writeFileSync(join(outside.path, "a"), "needle\n");
  writeFileSync(join(dir.path, ".git/a"), "needle\n");
  writeFileSync(join(dir.path, ".gitignore"), "dist/\n");
  writeFileSync(join(dir.path, "dist/a"), "needle\n");
  writeFileSync(join(dir.path, "late.bin"), `needle\n${"a\n".repeat(100_000)}\0\n`);
  writeFileSync(join(dir.path, "early.bin"), "\0needle\n");
  symlinkSync(outside.path, join(dir.path, "link"));
  expect(await grep(dir.path, { pattern: "needle", output_mode: "content" })).toBe("late.bin:1:needle");
  expect(await grep(dir.path, { pattern: "needle", path: "dist" })).toBe("dist/a");
  expect(String(await thrownBy(() => grep(dir.path, { pattern: "needle", path: "link" })))).toContain("outside the working directories");
});

test("a pattern or glob that does not compile is an error with the reason, and so is an absent path", async () => {
  using dir = tempDir();
  writeFileSync(join(dir.path, "a"), "x\n");
  expect((await appErrorOf(() => grep(dir.path, { pattern: "fo(" }))).message).toContain("unclosed group");
  expect((await appErrorOf(() => grep(dir.path, { pattern: "x", glob: "{a" }))).message).toContain("unclosed alternate group");
  expect((await appErrorOf(() => grep(dir.path, { pattern: "x", path: "absent" }))).message).toContain("it does not exist");
});

test("a stopped turn ends the search", async () => {
  using dir = tempDir();
  const signal = AbortSignal.abort(new Error("stopped"));
  expect(String(await thrownBy(() => callTool(grepTool, { pattern: "x" }, agentContext(dir.path), signal)))).toContain("stopped");
});
