import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../src/core/errors.ts";
import { runGit, type GitCall, type GitWorld } from "../../src/platform/git.ts";
import { gitProgram } from "../../src/platform/git-program.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A program in the place of git. */
function standIn(directory: string, script: string): () => string {
  const path = join(directory, "git");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return () => path;
}

async function failure(call: GitCall, world: GitWorld): Promise<AppError> {
  const error = await runGit(call, world).then(() => undefined, (thrown: unknown) => thrown);
  if (error instanceof AppError) return error;
  throw new Error(`It did not fail as expected: ${String(error)}`);
}

describe("git", () => {
  test("gets no variable that leads it elsewhere, no key and no relative search path", async () => {
    using directory = tempDir();
    const env = {
      PATH: `.:${directory.path}/relative/..:/usr/bin:bin:/bin:`,
      HOME: directory.path,
      LANG: "de_DE.UTF-8",
      LC_MESSAGES: "de_DE.UTF-8",
      ANTHROPIC_API_KEY: "secret",
      GIT_AUTHOR_NAME: "Somebody",
      ...Object.fromEntries(["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS", "GIT_EXEC_PATH", "GIT_TRACE", "GIT_ASKPASS", "SSH_ASKPASS"].map((name) => [name, "spoiled"])),
    };
    const place = { gitDirectory: "/x/.git", workTree: "/x", indexFile: "/y/index" };
    const { stdout } = await runGit({ args: ["status"], cwd: directory.path, place }, { env, locate: standIn(directory.path, "env") });
    const lines = stdout.toString().trim().split("\n");
    expect(lines.filter((line) => line.includes("spoiled") || line.includes("secret") || line.includes("de_DE"))).toEqual([]);
    expect(lines).toContain(`PATH=${directory.path}/relative/..:/usr/bin:/bin`);
    for (const line of ["GIT_DIR=/x/.git", "GIT_WORK_TREE=/x", "GIT_INDEX_FILE=/y/index", "GIT_AUTHOR_NAME=Somebody", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C", "GIT_PAGER=cat"]) expect(lines).toContain(line);
  });

  test("gets its arguments as they are, behind what always holds", async () => {
    using directory = tempDir();
    const { stdout } = await runGit({ args: ["log", "$(touch x)", "a b"], cwd: directory.path, config: ["filter.x.clean="] }, { env: {}, locate: standIn(directory.path, 'for word; do echo "$word"; done') });
    const words = stdout.toString().trimEnd().split("\n");
    for (const setting of ["core.hooksPath=/dev/null", "core.fsmonitor=false", "safe.bareRepository=explicit", "protocol.ext.allow=never", "filter.x.clean="]) {
      expect(words[words.indexOf(setting) - 1]).toBe("-c");
    }
    expect(words.slice(-3)).toEqual(["log", "$(touch x)", "a b"]);
  });

  test.each<[string, string, Partial<GitCall>, string]>([
    ["takes too long", "trap '' TERM; sleep 60 & wait; sleep 60", { timeoutMs: 100 }, "git_timeout"],
    ["prints too much", "yes", { outputBytesMax: 1_000 }, "git_output"],
  ])("that %s is ended with all it has started", async (_name, script, call, code) => {
    using directory = tempDir();
    const started = performance.now();
    expect(await failure({ args: ["log"], cwd: directory.path, ...call }, { env: { PATH: "/usr/bin:/bin" }, locate: standIn(directory.path, script) })).toMatchObject({ code, reason: "failed" });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("that is not there, or has no place to work in, is a failure with a reason", async () => {
    using directory = tempDir();
    expect(() => gitProgram([join(directory.path, "git")])).toThrow(expect.objectContaining({ code: "git_missing" }));
    expect(gitProgram()).toStartWith("/");
    expect(await failure({ args: ["status"], cwd: join(directory.path, "gone") }, { env: {}, locate: () => "/usr/bin/git" })).toMatchObject({ code: "git_start" });
  });

  test("of a directory that looks like a repository is refused, whatever that names", async () => {
    using directory = tempDir();
    const { path } = directory;
    for (const name of ["objects", "refs"]) mkdirSync(join(path, name));
    writeFileSync(join(path, "HEAD"), "ref: refs/heads/main\n");
    writeFileSync(join(path, "config"), `[core]\n\trepositoryformatversion = 0\n\tworktree = ${path}\n\tfsmonitor = "touch ${path}/CANARY"\n`);
    const result = await runGit({ args: ["status"], cwd: path }, { env: { PATH: "/usr/bin:/bin", HOME: path } });
    expect(result).toMatchObject({ exitCode: 128, complaint: expect.stringContaining("bare repository") });
    expect(await Bun.file(join(path, "CANARY")).exists()).toBe(false);
  });
});
