import { describe, expect, test } from "bun:test";
import { runCli } from "../../../src/cli/main.ts";
import { COMMANDS, visibleCommands } from "../../../src/cli/registry.ts";
import { memoryIo } from "../../support/memory-io.ts";

async function script(...argv: readonly string[]): Promise<string> {
  const io = memoryIo();
  expect(await runCli(["completion", ...argv], io)).toBe(0);
  return io.stdout.text;
}

describe.each([["bash"], ["zsh"], ["fish"]])("the script for %s", (shell) => {
  test("names every command and every flag", async () => {
    const text = await script(shell);
    for (const name of visibleCommands()) {
      expect(text).toContain(name);
      const command = (await COMMANDS[name]?.load())?.default;
      for (const [flag, { type }] of Object.entries(command?.args ?? {})) {
        expect(type === "positional" || text.includes(shell === "fish" ? `-l ${flag} ` : `--${flag}`)).toBe(true);
      }
    }
  });

  test("asks the program for ids of tasks, and names no hidden command", async () => {
    const text = await script(shell);
    expect(text).toContain("ps -aq");
    expect(text).not.toContain("run-process");
  });
});

test.each([[[]], [["tcsh"]], [["zsg"]]])("%j, which is no shell, is 2", async (argv) => {
  const io = memoryIo();
  expect(await runCli(["completion", ...argv], io)).toBe(2);
  expect(io.stdout.text).toBe("");
  expect(io.stderr.text).toContain("bash, zsh, fish");
});

test("quotes in a description end nothing", async () => {
  expect(await script("zsh")).toContain("Allow, as '\\''Bash(npm test\\:*)'\\''");
  expect(await script("fish")).toContain("Allow, as \\'Bash(npm test:*)\\'");
});
