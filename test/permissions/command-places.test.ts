import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PermissionMode } from "../../src/core/permission.ts";
import { decidePermission } from "../../src/permissions/decide.ts";
import { rule } from "../support/agent-context.ts";
import { commandAccess } from "../support/command-access.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A working directory with links out of it, within it, and to an empty directory. */
async function decide(command: string, mode: PermissionMode, rules = [] as ReturnType<typeof rule>[]) {
  using dir = tempDir();
  const cwd = join(dir.path, "work");
  for (const name of ["work/sub/deep", "work/.git/hooks", "outside/sub", "nothing"]) mkdirSync(join(dir.path, name), { recursive: true });
  for (const name of ["work/a.txt", "work/.env", "work/sub/x", "outside/secret"]) writeFileSync(join(dir.path, name), "");
  symlinkSync("../outside", join(cwd, "link"));
  symlinkSync("../nothing", join(cwd, "empty"));
  symlinkSync("sub/deep", join(cwd, "inlink"));
  mkdirSync(join(cwd, "tree"));
  symlinkSync("../.git", join(cwd, "tree/l"));
  return decidePermission({ tool: "Bash", access: await commandAccess(command), isReadOnly: false, cwd, home: dir.path, context: { mode, rules, directories: [cwd] } });
}

test.each([
  ["the redirection of a list belongs to its last command", "cd .git && echo x > config"],
  ["a wrapper of the shell moves it", "command cd .git && touch config"],
  ["so does the word that times", "time cd .git && touch config"],
  ["a function runs where it is called", "f() { touch config; }; cd .git; f"],
  ["a shell within a program within a shell is where the first one is", "cd .git; bash -c 'timeout 5 touch config'"],
  ["find goes into the directory of each file", "find .git -name hooks -execdir touch config \\;"],
  ["where no name matches, the pattern is the name", "touch empty/new*"],
  ["behind a link, two dots lead elsewhere", "touch inlink/../../link/x"],
  ["what is moved takes its links along", "mv tree new && cp a.txt new/l/config"],
  ["so does what is copied", "cp -r tree new; touch new/l/config"],
  ["a link is made first", "ln -s l/config tree/new && cp a.txt tree/new"],
  ["where the way by names leads nowhere, the shell goes the way of the links", "cd link/../nothing; touch x"],
])("%s: %j writes nothing freely", async (_why, command) => {
  expect((await decide(command, "acceptEdits")).behavior).not.toBe("allow");
});

test.each([
  ["a pattern behind a link and two dots", "cat link/../*"],
  ["a pattern in a directory outside", "cat empty/*"],
  ["a link within, then two dots that lead out by names of nothing", "cd inlink; cat ../../../outside/secret"],
  ["a test that evaluates a name", "x='-v a[$(id)]'; [ $x ]"],
  ["a wait that sets a variable", ": & x='-np a[$(id)]'; wait $x"],
  ["a program before the function of its name", "npm publish; npm() { :; }"],
  ["a function in a shell of its own", "(npm() { :; }); npm publish"],
  ["a function in the background", "npm() { :; } & npm publish"],
  ["a function that is maybe not defined", "false && npm() { :; }; npm publish"],
  ["an encoding in which a backslash is half a character", "LC_ALL=zh_TW.Big5\necho a"],
])("%s is not free: %j", async (_why, command) => {
  expect((await decide(command, "default")).behavior).not.toBe("allow");
});

test.each([
  "cd sub && ls", "command cd sub; ls", "cd sub && echo x > y", "f() { ls; }; f", "touch sub/new*", "mkdir -p a/b && touch a/b/c", "mv sub new && touch new/y", "mv a.txt sub/b.txt && cat sub/b.txt", "mv tree new", "cat sub/*", "[ -f \"$x\" ] || echo none", "[ $# -gt 1 ] && ls",
  "sleep() { :; }; sleep 1 & wait $!", "cat - <<X > out.txt\ntext\nX", "echo 'it'\\''s' > out.txt", "for f in sub/*; do cat a.txt; done > all.txt",
])("%j is as free as before", async (command) => {
  expect((await decide(command, "acceptEdits")).behavior).toBe("allow");
});

test("more paths than are looked at are refused where one of them may be forbidden", async () => {
  const many = Array.from({ length: 3_000 }, (_, index) => `f${index}`).join(" ");
  expect(await decide(`cat ${many} .env`, "bypassPermissions", [rule("deny", "Read", ".env")])).toMatchObject({ behavior: "deny" });
  expect(await decide(`cat ${many} /proc/self/environ`, "bypassPermissions")).toMatchObject({ behavior: "deny", layer: "built-in" });
});
