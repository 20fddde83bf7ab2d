import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isReadOnlyCommand } from "../../src/permissions/read-only-command.ts";
import { tempDir } from "../support/temp-dir.ts";

function project() {
  const dir = tempDir();
  mkdirSync(join(dir.path, "proj"));
  writeFileSync(join(dir.path, "proj/a"), "");
  writeFileSync(join(dir.path, "outside"), "");
  symlinkSync("../outside", join(dir.path, "proj/link"));
  const cwd = join(dir.path, "proj");
  return { dir, cwd, isReadOnly: (command: string) => isReadOnlyCommand(command, [cwd], cwd) };
}

test("plain commands that only read inside the directories are proven to", () => {
  const { dir, cwd, isReadOnly } = project();
  using _ = dir;
  for (const command of ["pwd", "true", "false x", "sleep 0.1", "echo a --b -c", "ls", "ls -la", "cat a absent", "head -n 5 a", "tail -n5 ./a", `wc -l ${cwd}/a`]) {
    expect([command, isReadOnly(command)]).toEqual([command, true]);
  }
});

test("everything else is not", () => {
  const { dir, isReadOnly } = project();
  using _ = dir;
  for (const command of [
    "cat ../outside", "cat link", "ls /", "cat /proc/self/environ", "head --lines=5 a", "wc --files0-from=a", "ls -- a", "cat -", "echo a > a", "cat a | sh", "cat *",
    "pwd x", "rm a", "toString", "__proto__", "constructor", "/bin/cat a", "X=1 cat a", "",
  ]) {
    expect([command, isReadOnly(command)]).toEqual([command, false]);
  }
});
