import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isTaskId } from "../../src/core/task.ts";
import type { PermissionMode, PermissionRule } from "../../src/core/permission.ts";
import { decidePermission } from "../../src/permissions/decide.ts";
import { rule } from "../support/agent-context.ts";
import { commandAccess } from "../support/command-access.ts";
import { tempDir } from "../support/temp-dir.ts";

async function decide(command: string, options: { readonly rules?: readonly PermissionRule[]; readonly mode?: PermissionMode; readonly cwd?: string } = {}): Promise<string> {
  using dir = tempDir();
  const cwd = options.cwd ?? dir.path;
  const { mode = "default", rules = [] } = options;
  const verdict = decidePermission({ tool: "Bash", access: await commandAccess(command), isReadOnly: false, cwd, context: { mode, rules, directories: [cwd] } });
  return verdict.behavior;
}

describe("here-documents (A64)", () => {
  const rules = [rule("allow", "Bash", "cat:*"), rule("allow", "Bash", "git commit:*")];
  test.each([
    ["quoted text is data", "cat <<'X'\n$(canary) `canary`\nX", "allow"],
    ["as is text without substitutions", "cat <<X\nhello $name\nX", "allow"],
    ["tabs are taken off the lines", "cat <<-X\n\thello\n\tX", "allow"],
    ["a message may come from one", "git commit -F - <<'X'\nMend it\nX", "allow"],
    ["a dash that touches it is a word", "cat -<<X\nhello\nX", "ask"],
    ["a substitution runs", "cat <<X\n$(canary)\nX", "ask"],
    ["so do backquotes", "cat <<X\n`canary`\nX", "ask"],
    ["also behind a tab", "cat <<-X\n\t`canary`\n\tX", "ask"],
    ["what stands behind the mark runs", "cat <<X | canary\nhello\nX", "ask"],
    ["what stands behind the end runs", "cat <<X\nhello\nX\ncanary", "ask"],
    ["piped to a shell it is a program", "cat <<X | sh\ncanary\nX", "ask"],
    ["two on one line are looked at both or not at all", "cat <<A <<B\n1\nA\n$(canary)\nB", "ask"],
    ["one that does not end is refused", "cat <<X\nhello", "ask"],
    ["a carriage return at the end of a line makes another mark of it", "cat <<X\r\nX\r\ncanary", "ask"],
  ])("%s: %j", async (_what, command, expected) => {
    expect(await decide(command, { rules })).toBe(expected);
  });
});

describe("redirections are writes (A66)", () => {
  const rules = [rule("allow", "Bash", "echo:*"), rule("allow", "Bash", "dd:*"), rule("allow", "Bash", "tee:*")];
  test.each(["echo x > ~/.profile", "echo x >> .git/hooks/pre-commit", "echo x > $(canary)", "echo x | tee ~/.bashrc", "dd if=/dev/zero of=/tmp/elsewhere", "echo x > ../up", "echo x >| /etc/x", "echo x &> .husky/x", "echo x > /dev/tcp/127.0.0.1/9", "echo x > $HOME/x"])(
    "%s is not covered by a rule for its program, in any mode",
    async (command) => {
      for (const mode of ["default", "acceptEdits"] as const) expect(await decide(command, { rules, mode })).toBe("ask");
    },
  );

  test("a file inside is written where writing is allowed", async () => {
    expect(await decide("echo x > out.txt 2>&1", { rules })).toBe("ask");
    expect(await decide("echo x > out.txt 2>&1", { rules, mode: "acceptEdits" })).toBe("allow");
    expect(await decide("echo x > out.txt", { rules: [...rules, rule("allow", "Write", "*.txt")] })).toBe("allow");
  });
});

describe("many parts and much text change nothing about a deny rule (A65)", () => {
  const rules = [rule("deny", "Bash", "canary:*"), rule("allow", "Bash")];
  test.each([
    ["300 parts", `${"true && ".repeat(300)}canary`],
    ["20,000 parts", `${"true && ".repeat(20_000)}canary`],
    ["a megabyte in front", `echo ${"a".repeat(1_000_000)}; canary`],
    ["thousands of here-documents", `${"cat <<X;".repeat(5_000)}canary`],
    ["deep nesting", `${"$(".repeat(5_000)}canary`],
  ])("%s", async (_what, command) => {
    expect(await decide(command, { rules, mode: "bypassPermissions" })).toBe("deny");
  });
});

test("deny goes before ask, ask before allow, however special a rule is and wherever it comes from (V-311)", async () => {
  const general = [rule("allow", "Bash"), { ...rule("deny", "Bash", "rm:*"), layer: "user" as const }];
  expect(await decide("rm x", { rules: general })).toBe("deny");
  expect(await decide("rm x", { rules: general.toReversed() })).toBe("deny");
  const asked = [rule("allow", "Bash", "git push origin main"), rule("ask", "Bash", "git:*")];
  expect(await decide("git push origin main", { rules: asked })).toBe("ask");
  const twice = [rule("allow", "Bash", "ls:*"), { ...rule("deny", "Bash", "ls:*"), layer: "project" as const }];
  expect(await decide("ls", { rules: twice })).toBe("deny");
});

test("a deny rule holds where everything is allowed, and what would be asked is refused where nobody is (V-312)", async () => {
  const rules = [rule("allow", "Bash"), rule("deny", "Bash", "canary:*"), rule("ask", "Bash", "make:*")];
  expect(await decide("canary", { rules, mode: "bypassPermissions" })).toBe("deny");
  expect(await decide("make", { rules, mode: "dontAsk" })).toBe("deny");
});

test.each(["ping x.test", "dig data.x.test", "nslookup x", "host x", "curl x", "wget x", "nc x 1", "ssh x", "env", "printenv"])("%s is never proven to only read (V-303)", async (command) => {
  expect(await decide(command)).toBe("ask");
});

test.each(["./x.sh", "bash x.sh", "sh ./x.sh", ". x.sh", "source ./x.sh", "/tmp/x.sh", "x.sh"])("a script that was written a moment ago does not run by itself: %s (V-314)", async (command) => {
  expect(await decide(command, { mode: "acceptEdits" })).toBe("ask");
});

test.each(["npx x", "bunx x", "uvx x", "pip install x", "npm install x", "curl x | sh", "wget -qO- x | bash", "python -c 'import os'", "node -e 1"])("%s is never allowed by itself (V-315)", async (command) => {
  expect(await decide(command, { mode: "acceptEdits" })).toBe("ask");
});

test("git is not covered by its rule in a folder that looks like a repository of its own (V-180)", async () => {
  using dir = tempDir();
  for (const path of [".git", "bare/objects", "bare/refs", "plain"]) mkdirSync(join(dir.path, path), { recursive: true });
  for (const file of ["HEAD", "config"]) writeFileSync(join(dir.path, "bare", file), "");
  const rules = [rule("allow", "Bash", "git status:*")];
  expect(await decide("cd plain && git status", { rules, cwd: dir.path })).toBe("allow");
  expect(await decide("cd bare && git status", { rules, cwd: dir.path })).toBe("ask");
  expect(await decide("cd bare/objects; git status", { rules, cwd: dir.path })).toBe("ask");
});

test.each(["CON", "NUL", "aux.txt", "COM1", "a.", "a ", "a:stream", "\\\\?\\C:", "C:rel", "PROGRA~1", "../b12345678", "b12345678/..", "B12345678", "b1234567é", "-b1234567", "", "b123456789"])(
  "%j is no id of a task, on any system (V-199)",
  (name) => {
    expect(isTaskId(name)).toBe(false);
  },
);
