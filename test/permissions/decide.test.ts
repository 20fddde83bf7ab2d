import { expect, test } from "bun:test";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PERMISSION_MODES, type PermissionContext, type PermissionMode, type ToolAccess, type Verdict } from "../../src/core/permission.ts";
import { decidePermission } from "../../src/permissions/decide.ts";
import { rule } from "../support/agent-context.ts";
import { commandAccess } from "../support/command-access.ts";
import { tempDir } from "../support/temp-dir.ts";

interface Case extends Partial<PermissionContext> {
  readonly tool: string;
  readonly access: ToolAccess | Promise<ToolAccess>;
  readonly isReadOnly?: boolean;
  readonly protectedPaths?: readonly string[];
}

async function decide(cwd: string, { tool, access, isReadOnly = false, protectedPaths = [], mode = "default", rules = [], directories = [cwd] }: Case): Promise<Verdict> {
  return decidePermission({ tool, access: await access, isReadOnly, cwd, protectedPaths, context: { mode, rules, directories } });
}

const bash = (command: string, rest: Partial<Case> = {}): Case => ({ tool: "Bash", access: commandAccess(command), ...rest });
const read = (path: string, rest: Partial<Case> = {}): Case => ({ tool: "Read", access: { kind: "read", path }, isReadOnly: true, ...rest });
const write = (path: string, rest: Partial<Case> = {}): Case => ({ tool: "Write", access: { kind: "write", path }, ...rest });

const foreign = (tool: string, { claimsToRead = true, ...rest }: Partial<Case> & { readonly claimsToRead?: boolean } = {}): Case => ({ tool, access: { kind: "foreign", input: "{}", claimsToRead }, ...rest });

async function behaviorsIn(cwd: string, of: (mode: PermissionMode) => Case) {
  return Object.fromEntries(await Promise.all(PERMISSION_MODES.map(async (mode) => [mode, (await decide(cwd, of(mode))).behavior])));
}

test("each mode decides what no rule decides", async () => {
  using dir = tempDir();
  const table = {
    none: await behaviorsIn(dir.path, (mode) => ({ tool: "TodoWrite", access: { kind: "none" }, mode })),
    readInside: await behaviorsIn(dir.path, (mode) => read("a", { mode })),
    readOutside: await behaviorsIn(dir.path, (mode) => read("/etc/hostname", { mode })),
    writeInside: await behaviorsIn(dir.path, (mode) => write("a", { mode })),
    writeOutside: await behaviorsIn(dir.path, (mode) => write("/etc/a", { mode })),
    writeProtected: await behaviorsIn(dir.path, (mode) => write(".git/config", { mode })),
    readOnlyCommand: await behaviorsIn(dir.path, (mode) => bash("ls -la", { mode })),
    command: await behaviorsIn(dir.path, (mode) => bash("npm test", { mode })),
    unprovenAmongProven: await behaviorsIn(dir.path, (mode) => bash("ls && npm test", { mode })),
    opaqueCommand: await behaviorsIn(dir.path, (mode) => bash("eval ls", { mode })),
    foreign: await behaviorsIn(dir.path, (mode) => foreign("mcp__db__query", { mode })),
  };
  const asking = { default: "ask", acceptEdits: "ask", plan: "deny", dontAsk: "deny", bypassPermissions: "allow" };
  const allowing = { default: "allow", acceptEdits: "allow", plan: "allow", dontAsk: "allow", bypassPermissions: "allow" };
  expect(table).toEqual({
    none: allowing,
    readInside: allowing,
    readOutside: { ...asking, plan: "ask" },
    writeInside: { ...asking, acceptEdits: "allow" },
    writeOutside: asking,
    writeProtected: asking,
    readOnlyCommand: allowing,
    command: asking,
    unprovenAmongProven: asking,
    opaqueCommand: asking,
    foreign: asking,
  } as never);
});

test("a deny rule of any layer wins in every mode, over every allow rule", async () => {
  using dir = tempDir();
  for (const layer of ["flag", "env", "local", "project", "user", "managed"] as const) {
    const rules = [rule("allow", "Bash"), rule("allow", "Bash", "rm x"), { ...rule("deny", "Bash", "rm:*"), layer }];
    for (const mode of PERMISSION_MODES) {
      expect(await decide(dir.path, bash("rm x", { mode, rules }))).toMatchObject({ behavior: "deny", rule: "deny:Bash(rm:*)", layer });
    }
  }
});

test("where a deny rule for commands exists, no mode runs a command that may hide the denied one (A63, A65)", async () => {
  using dir = tempDir();
  const rules = [rule("allow", "Bash"), rule("deny", "Bash", "canary:*")];
  const many = `${"true && ".repeat(60)}canary`;
  for (const command of ["c'a'nary", "$X", "ca${Z}nary", "bash x.sh", "echo a; canary", many, "x".repeat(200_000), "can\\\nary", "echo ${x@P}", "$(canary)", "cat <<X\n`canary`\nX"]) {
    for (const mode of PERMISSION_MODES) {
      expect(await decide(dir.path, bash(command, { mode, rules }))).toMatchObject({ behavior: "deny", rule: "deny:Bash(canary:*)" });
    }
  }
  for (const command of ["npm test", "echo a; true", "echo 'canary'", "grep canary src"]) expect((await decide(dir.path, bash(command, { rules }))).behavior).toBe("allow");
});

test("ask rules come before allow rules, also for what may hide the command, and bypassing asks nothing", async () => {
  using dir = tempDir();
  const rules = [rule("allow", "Bash"), rule("ask", "Bash", "git push:*")];
  for (const command of ["git push origin", "true && git push"]) {
    expect(await decide(dir.path, bash(command, { rules }))).toMatchObject({ behavior: "ask", rule: "ask:Bash(git push:*)" });
    expect((await decide(dir.path, bash(command, { rules, mode: "dontAsk" }))).behavior).toBe("deny");
    expect((await decide(dir.path, bash(command, { rules, mode: "bypassPermissions" }))).behavior).toBe("allow");
  }
  expect((await decide(dir.path, bash("git pull", { rules }))).behavior).toBe("allow");
});

test("an allow rule covers its command, alone or among others that are free, and no chain with anything else (A63)", async () => {
  using dir = tempDir();
  const rules = [rule("allow", "Bash", "git log:*")];
  expect(await decide(dir.path, bash("git log --oneline", { rules }))).toMatchObject({ behavior: "allow", rule: "allow:Bash(git log:*)", layer: "flag" });
  for (const command of ["git log | head -5", "git log 2>/dev/null", "ls; git log", "cd . && git log"]) {
    expect([command, (await decide(dir.path, bash(command, { rules }))).behavior]).toEqual([command, "allow"]);
  }
  for (const command of ["git log; x", "git log && x", "git log | x", "git log\nx", "git log > x", "git log $(x)", "git log & x", "(git log; x)", "x | git log"]) {
    expect((await decide(dir.path, bash(command, { rules }))).behavior).toBe("ask");
  }
});

test("planning ignores what was allowed for the work", async () => {
  using dir = tempDir();
  const rules = [rule("allow", "Bash", "npm test:*"), rule("allow", "Write"), rule("allow", "Read", "/etc/**")];
  expect((await decide(dir.path, bash("npm test", { mode: "plan", rules }))).behavior).toBe("deny");
  expect((await decide(dir.path, write("a", { mode: "plan", rules }))).behavior).toBe("deny");
  expect((await decide(dir.path, read("/etc/hostname", { mode: "plan", rules }))).behavior).toBe("allow");
});

test("what one file tool may not touch, none may, and no command may name (A67)", async () => {
  using dir = tempDir();
  mkdirSync(join(dir.path, "sub"));
  writeFileSync(join(dir.path, ".env"), "");
  symlinkSync(".env", join(dir.path, "alias"));
  symlinkSync(dir.path, join(dir.path, "here"));
  linkSync(join(dir.path, ".env"), join(dir.path, "hard"));
  const rules = [rule("deny", "Read", "./.env"), rule("deny", "Edit", "src/**"), rule("allow", "Bash"), rule("allow", "Read")];
  const mode = "bypassPermissions";
  for (const path of [".env", ".//.env", "sub/../.env", "/proc/self/root" + dir.path + "/.env", "alias", "here/.env", "hard", ".ENV"]) {
    for (const tool of ["Read", "Grep", "Glob"]) expect((await decide(dir.path, read(path, { tool, mode, rules }))).rule).toBe("deny:Read(./.env)");
    expect((await decide(dir.path, bash(`cat ${path}`, { mode, rules }))).rule).toBe("deny:Read(./.env)");
  }
  expect((await decide(dir.path, bash("grep x --file=.env", { mode, rules }))).behavior).toBe("deny");
  expect((await decide(dir.path, write("src/a", { mode, rules }))).rule).toBe("deny:Edit(src/**)");
  expect((await decide(dir.path, read("src/a", { mode, rules }))).behavior).toBe("allow");
  expect((await decide(dir.path, bash("cat src/a", { mode, rules }))).behavior).toBe("allow");
});

test("what Read may read, Grep and Glob may search; nothing else is allowed along with it", async () => {
  using dir = tempDir();
  const rules = [rule("allow", "Read", "/opt/lib/**")];
  for (const tool of ["Read", "Grep", "Glob"]) expect((await decide(dir.path, read("/opt/lib/x", { tool, rules }))).behavior).toBe("allow");
  expect((await decide(dir.path, write("/opt/lib/x", { rules }))).behavior).toBe("ask");
});

test("a link decides by where it leads (V-190)", async () => {
  using dir = tempDir();
  using outside = tempDir();
  symlinkSync(outside.path, join(dir.path, "d"));
  for (const access of [read("d/x"), write("d/x", { mode: "acceptEdits" }), write("d/../x", { mode: "acceptEdits" })]) {
    expect((await decide(dir.path, access)).behavior).toBe("ask");
  }
});

const PROTECTED = [
  ".git/config", ".git/hooks/pre-commit", "sub/.git/config", ".git", ".agent/config.jsonc", ".agent/config.local.jsonc", ".agent/agents/x.md", ".agent/hooks/x",
  ".claude/settings.json", ".claude/agents/x.md", ".mcp.json", ".vscode/tasks.json", ".vscode/settings.json", ".husky/pre-commit", ".bashrc", ".zshrc", ".profile",
  ".envrc", ".npmrc", ".gitmodules", ".cursor/hooks.json", "user-config/config.jsonc", "state/ledger.db",
];

test.each(PROTECTED)("%s is not free to write, whether it exists or not, in any letter case (V-184)", async (name) => {
  using dir = tempDir();
  const protectedPaths = [join(dir.path, "user-config"), join(dir.path, "state")];
  const behaviors = async (path: string) => {
    const request = (tool: string) => write(path, { tool, mode: "acceptEdits", protectedPaths, rules: [rule("allow", tool), rule("allow", tool, "**")] });
    return [(await decide(dir.path, request("Write"))).behavior, (await decide(dir.path, request("Edit"))).behavior];
  };
  expect(await behaviors(name)).toEqual(["ask", "ask"]);
  expect(await behaviors(name.toUpperCase())).toEqual(["ask", "ask"]);
  mkdirSync(join(dir.path, dirname(name)), { recursive: true });
  writeFileSync(join(dir.path, name), "");
  symlinkSync(join(dir.path, name), join(dir.path, "innocent"));
  expect(await behaviors(name)).toEqual(["ask", "ask"]);
  expect(await behaviors("innocent")).toEqual(["ask", "ask"]);
  for (const command of [`cp x ${name}`, `echo x > ${name}`, `echo x >> ${name}`, `echo x | tee ${name}`, `touch ${name}`]) {
    expect([command, (await decide(dir.path, bash(command, { mode: "acceptEdits", protectedPaths }))).behavior]).toEqual([command, "ask"]);
  }
});

test("a directory does not bring protected files along under another name", async () => {
  using dir = tempDir();
  mkdirSync(join(dir.path, "x/vscode"), { recursive: true });
  for (const command of ["mv x/vscode .vscode", "cp -r x/vscode .vscode", "cp -r x/vscode .cursor", "mv x .git", "cp -r x .config"]) {
    expect([command, (await decide(dir.path, bash(command, { mode: "acceptEdits" }))).behavior]).toEqual([command, "ask"]);
  }
});

test("a protected name is written where a rule speaks of it", async () => {
  using dir = tempDir();
  const rules = [rule("allow", "Write", ".git/hooks/**")];
  expect((await decide(dir.path, write(".git/hooks/x", { rules }))).behavior).toBe("allow");
  expect((await decide(dir.path, write(".git/config", { rules }))).behavior).toBe("ask");
});

test("a working directory below a protected name is as free as any other, but for .git", async () => {
  using dir = tempDir();
  const behaviorIn = async (directory: string, name: string) => {
    const cwd = join(dir.path, directory);
    mkdirSync(cwd, { recursive: true });
    return (await decide(cwd, write(name, { mode: "acceptEdits", protectedPaths: [join(dir.path, "state")] }))).behavior;
  };
  expect(await behaviorIn(".claude/worktrees/x", "src/a.ts")).toBe("allow");
  expect(await behaviorIn(".claude/worktrees/x", ".claude/settings.json")).toBe("ask");
  expect(await behaviorIn("state/worktrees/x", "src/a.ts")).toBe("allow");
  expect(await behaviorIn("repo/.git", "config")).toBe("ask");
});

test.each(["src/git/config", "a.git/x", ".gitignore", ".github/x.yml", ".vscode/extensions.json", "AGENTS.md", ".env"])("%s is an ordinary file", async (name) => {
  using dir = tempDir();
  expect((await decide(dir.path, write(name, { mode: "acceptEdits" }))).behavior).toBe("allow");
});

test("every refusal that a flag could lift names exactly that flag", async () => {
  using dir = tempDir();
  using outside = tempDir();
  const flag = async (request: Case) => (await decide(dir.path, request)).flag;
  expect(await flag(bash("npm test"))).toBe("--allow 'Bash(npm test:*)'");
  expect(await flag(bash("npm run build -- --x"))).toBe("--allow 'Bash(npm run build:*)'");
  expect(await flag(bash("rm -rf dist"))).toBe("--allow 'Bash(rm -rf dist)'");
  expect(await flag(bash("git -C x status"))).toBe("--allow 'Bash(git -C x status)'");
  expect(await flag(bash("npm test && npm run lint"))).toBe("--allow 'Bash(npm test:*)' --allow 'Bash(npm run lint:*)'");
  expect(await flag(bash("npm test > log.txt"))).toBe("--permission-mode acceptEdits");
  expect(await flag(bash("eval ls"))).toBe("--permission-mode bypassPermissions");
  expect(await flag(bash("npm test", { mode: "plan" }))).toBe("--permission-mode default --allow 'Bash(npm test:*)'");
  expect(await flag(write("a"))).toBe("--permission-mode acceptEdits");
  expect(await flag(read(join(outside.path, "x")))).toBe(`--add-dir ${outside.path}`);
  expect(await flag(read(outside.path))).toBe(`--add-dir ${outside.path}`);
  expect(await flag(write(join(outside.path, "new/x"), { mode: "acceptEdits" }))).toBe(`--add-dir ${outside.path}`);
  expect(await flag(write(join(outside.path, "x")))).toBe(`--permission-mode acceptEdits --add-dir ${outside.path}`);
  expect(await flag(write(".git/config", { mode: "acceptEdits" }))).toBe("--allow 'Write(.git/config)'");
  expect(await flag(bash("rm x", { rules: [rule("deny", "Bash", "rm:*")] }))).toBeUndefined();
});

test("rules speak of the tool of a server, or of all of one; planning takes them only where the tool says that it reads", async () => {
  using dir = tempDir();
  const behavior = async (request: Case) => (await decide(dir.path, request)).behavior;
  for (const name of ["mcp__db__query", "mcp__db", "mcp__db__*"]) {
    expect(await behavior(foreign("mcp__db__query", { rules: [rule("allow", name)] }))).toBe("allow");
    expect(await behavior(foreign("mcp__db__query", { mode: "bypassPermissions", rules: [rule("deny", name), rule("allow", "mcp__db")] }))).toBe("deny");
    expect(await behavior(foreign("mcp__db__query", { mode: "plan", rules: [rule("allow", name)] }))).toBe("allow");
    expect(await behavior(foreign("mcp__db__query", { mode: "plan", claimsToRead: false, rules: [rule("allow", name)] }))).toBe("deny");
  }
  for (const name of ["mcp__d", "mcp__db2", "mcp__db__quer", "mcp__db__query__x", "mcp__other"]) expect(await behavior(foreign("mcp__db__query", { rules: [rule("allow", name)] }))).toBe("ask");
  expect((await decide(dir.path, foreign("mcp__db__query", { mode: "plan" }))).flag).toBe("--permission-mode default --allow mcp__db__query");
});

test("reasons say what was decided about what", async () => {
  using dir = tempDir();
  expect((await decide(dir.path, bash("eval x"))).reason).toBe('It cannot be told what the command runs: "eval" can change what the shell runs');
  expect((await decide(dir.path, bash("npm test"))).reason).toBe('No rule allows the command "npm test"');
  expect((await decide(dir.path, read("/etc/hostname"))).reason).toBe('"/etc/hostname" is outside the working directories');
  expect((await decide(dir.path, write(".husky/x", { mode: "acceptEdits" }))).reason).toContain('what stands in ".husky" can make programs run');
  expect((await decide(dir.path, write("a", { mode: "plan" }))).reason).toBe('The permission mode "plan" allows reading only');
});

test.each([
  ['cat "$f"', "Read"],
  ["f=.env; cat $f", "Read"],
  ["cat .e{n,}v", "Read"],
  ["cat < $f", "Read"],
  ["for f in .e*; do base64 $f; done", "Read"],
  ["cp a $f", "Write"],
  ["echo x > $f", "Edit"],
  ["sh -c 'cat $1' - .env", "Read"],
])("what may be a denied file is one, in every mode and under an allow rule: %s (%s)", async (command, tool) => {
  using dir = tempDir();
  for (const mode of ["default", "bypassPermissions"] as const) {
    const verdict = await decide(dir.path, bash(command, { mode, rules: [rule("deny", tool, ".env"), rule("allow", "Bash")] }));
    expect([command, verdict.behavior, verdict.rule]).toEqual([command, "deny", expect.stringContaining(`${tool}(.env)`)]);
  }
});

test.each(['echo "$x"', "npm test -- $x", "cat *.md", 'grep "$x" a', "ls; make $x"])("a rule for paths leaves alone what names no path, and programs that are not known: %s", async (command) => {
  using dir = tempDir();
  expect(await decide(dir.path, bash(command, { mode: "bypassPermissions", rules: [rule("deny", "Read", ".env")] }))).toMatchObject({ behavior: "allow" });
});
