import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandAccess } from "../support/command-access.ts";
import { tempDir } from "../support/temp-dir.ts";

function project() {
  const dir = tempDir();
  mkdirSync(join(dir.path, "proj/sub"), { recursive: true });
  writeFileSync(join(dir.path, "proj/a"), "");
  writeFileSync(join(dir.path, "outside"), "");
  symlinkSync("../outside", join(dir.path, "proj/.link"));
  symlinkSync("../../outside", join(dir.path, "proj/sub/link"));
  writeFileSync(join(dir.path, "proj/link"), "");
  const cwd = join(dir.path, "proj");
  return { dir, cwd, isReadOnly: async (command: string) => {
    const access = await commandAccess(command);
    return access.judge.isReadOnly({ access, context: { mode: "default", rules: [], directories: [cwd] }, cwd });
  } };
}

test("plain commands that only read inside the directories are proven to", async () => {
  const { dir, cwd, isReadOnly } = project();
  using _ = dir;
  for (const command of ["pwd", "true", "false x", "sleep 0.1", "echo a --b -c", "ls", "ls -la", "cat a absent", "head -n 5 a", "tail -n5 ./a", "head --lines=5 a", "ls -- a", "cat - < a", "cat a | sort | uniq -c", "cat ./*", "cat *", "ls -la *.js | head", "grep -n x *", "cd sub; cat a", "ls; wc -l a && pwd", "grep -rn x . 2>/dev/null | head", "if [ -f a ]; then cat a; fi", "for f in a b; do echo $f; done", "x=1; echo $x", "timeout 5 cat a", "bash -c 'cat a | wc -l'", "cat <<X\nhello\nX", "test -f a && echo yes || echo no", `wc -l ${cwd}/a`]) {
    expect([command, await isReadOnly(command)]).toEqual([command, true]);
  }
});

test("everything else is not", async () => {
  const { dir, isReadOnly } = project();
  using _ = dir;
  for (const command of [
    "cat ../outside", "cat sub/link", "cat sub/*", "ls /", "cat /proc/self/environ", "wc --files0-from=a", "echo a > a", "cat a | sh", "cat ./.*", "cat < sub/link", "cat < ../outside", "cat $(cat a)", "cd .. && cat outside", "cd / && ls", "git log", "sort -o a a", "find . -delete", "find . -exec cat {} +", "env", "sed -i s/a/b/ a", "sed '1e x' a", "eval ls", "echo ${x@P}", "PATH=. ls", "bash a", "curl x", "npx x", "ping x", "yes",
    "pwd x", "rm a", "toString", "__proto__", "constructor", "/bin/cat a", "X=1 cat a",
  ]) {
    expect([command, await isReadOnly(command)]).toEqual([command, false]);
  }
});

test("a pattern that may become an option is none, whether the file is there or made by the same text", async () => {
  const { dir, cwd, isReadOnly } = project();
  using _ = dir;
  for (const command of ["touch -- -R; ls *", "ls * > -R", "cd .. && ls *", "cd sub && touch x; ls *"]) expect([command, await isReadOnly(command)]).toEqual([command, false]);
  writeFileSync(join(cwd, "-fa"), "");
  for (const command of ["grep x *", "ls *", "cat ?fa", "timeout 5 ls *"]) expect([command, await isReadOnly(command)]).toEqual([command, false]);
  for (const command of ["cat ./*", "ls a*"]) expect([command, await isReadOnly(command)]).toEqual([command, true]);
});
