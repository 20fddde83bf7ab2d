import { expect, test } from "bun:test";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PERMISSION_MODES, type PermissionContext, type PermissionMode, type ToolAccess, type Verdict } from "../../src/core/permission.ts";
import { decidePermission } from "../../src/permissions/decide.ts";
import { rule } from "../support/agent-context.ts";
import { tempDir } from "../support/temp-dir.ts";

interface Case extends Partial<PermissionContext> {
  readonly tool: string;
  readonly access: ToolAccess;
  readonly isReadOnly?: boolean;
  readonly protectedPaths?: readonly string[];
}

function decide(cwd: string, { tool, access, isReadOnly = false, protectedPaths = [], mode = "default", rules = [], directories = [cwd] }: Case): Verdict {
  return decidePermission({ tool, access, isReadOnly, cwd, protectedPaths, context: { mode, rules, directories } });
}

const bash = (command: string, rest: Partial<Case> = {}): Case => ({ tool: "Bash", access: { kind: "command", command }, ...rest });
const read = (path: string, rest: Partial<Case> = {}): Case => ({ tool: "Read", access: { kind: "read", path }, isReadOnly: true, ...rest });
const write = (path: string, rest: Partial<Case> = {}): Case => ({ tool: "Write", access: { kind: "write", path }, ...rest });

const behaviorsIn = (cwd: string, of: (mode: PermissionMode) => Case) => Object.fromEntries(PERMISSION_MODES.map((mode) => [mode, decide(cwd, of(mode)).behavior]));

test("each mode decides what no rule decides", () => {
  using dir = tempDir();
  const table = {
    none: behaviorsIn(dir.path, (mode) => ({ tool: "TodoWrite", access: { kind: "none" }, mode })),
    readInside: behaviorsIn(dir.path, (mode) => read("a", { mode })),
    readOutside: behaviorsIn(dir.path, (mode) => read("/etc/hostname", { mode })),
    writeInside: behaviorsIn(dir.path, (mode) => write("a", { mode })),
    writeOutside: behaviorsIn(dir.path, (mode) => write("/etc/a", { mode })),
    writeProtected: behaviorsIn(dir.path, (mode) => write(".git/config", { mode })),
    readOnlyCommand: behaviorsIn(dir.path, (mode) => bash("ls -la", { mode })),
    command: behaviorsIn(dir.path, (mode) => bash("npm test", { mode })),
    opaqueCommand: behaviorsIn(dir.path, (mode) => bash("a && b", { mode })),
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
    opaqueCommand: asking,
  } as never);
});

test("a deny rule of any layer wins in every mode, over every allow rule", () => {
  using dir = tempDir();
  for (const layer of ["flag", "env", "local", "project", "user", "managed"] as const) {
    const rules = [rule("allow", "Bash"), rule("allow", "Bash", "rm x"), { ...rule("deny", "Bash", "rm:*"), layer }];
    for (const mode of PERMISSION_MODES) {
      expect(decide(dir.path, bash("rm x", { mode, rules }))).toMatchObject({ behavior: "deny", rule: "deny:Bash(rm:*)", layer });
    }
  }
});

test("where a deny rule for commands exists, no mode runs a command that may hide the denied one (A63, A65)", () => {
  using dir = tempDir();
  const rules = [rule("allow", "Bash"), rule("deny", "Bash", "canary:*")];
  const many = `${"true && ".repeat(60)}canary`;
  for (const command of ["c'a'nary", "$X", "ca${Z}nary", "bash x.sh", "echo a; true", many, "x".repeat(200_000), "can\\\nary"]) {
    for (const mode of PERMISSION_MODES) {
      expect(decide(dir.path, bash(command, { mode, rules }))).toMatchObject({ behavior: "deny", rule: "deny:Bash(canary:*)" });
    }
  }
  expect(decide(dir.path, bash("npm test", { rules })).behavior).toBe("allow");
});

test("ask rules come before allow rules, also for what may hide the command, and bypassing asks nothing", () => {
  using dir = tempDir();
  const rules = [rule("allow", "Bash"), rule("ask", "Bash", "git push:*")];
  for (const command of ["git push origin", "true && git push"]) {
    expect(decide(dir.path, bash(command, { rules }))).toMatchObject({ behavior: "ask", rule: "ask:Bash(git push:*)" });
    expect(decide(dir.path, bash(command, { rules, mode: "dontAsk" })).behavior).toBe("deny");
    expect(decide(dir.path, bash(command, { rules, mode: "bypassPermissions" })).behavior).toBe("allow");
  }
  expect(decide(dir.path, bash("git pull", { rules })).behavior).toBe("allow");
});

test("an allow rule covers its plain command and no chain that begins with it (A63)", () => {
  using dir = tempDir();
  const rules = [rule("allow", "Bash", "git log:*")];
  expect(decide(dir.path, bash("git log --oneline", { rules }))).toMatchObject({ behavior: "allow", rule: "allow:Bash(git log:*)", layer: "flag" });
  for (const command of ["git log; x", "git log && x", "git log | x", "git log\nx", "git log > x", "git log $(x)"]) {
    expect(decide(dir.path, bash(command, { rules })).behavior).toBe("ask");
  }
});

test("planning ignores what was allowed for the work", () => {
  using dir = tempDir();
  const rules = [rule("allow", "Bash", "npm test:*"), rule("allow", "Write"), rule("allow", "Read", "/etc/**")];
  expect(decide(dir.path, bash("npm test", { mode: "plan", rules })).behavior).toBe("deny");
  expect(decide(dir.path, write("a", { mode: "plan", rules })).behavior).toBe("deny");
  expect(decide(dir.path, read("/etc/hostname", { mode: "plan", rules })).behavior).toBe("allow");
});

test("what one file tool may not touch, none may, and no command may name (A67)", () => {
  using dir = tempDir();
  mkdirSync(join(dir.path, "sub"));
  writeFileSync(join(dir.path, ".env"), "");
  symlinkSync(".env", join(dir.path, "alias"));
  symlinkSync(dir.path, join(dir.path, "here"));
  linkSync(join(dir.path, ".env"), join(dir.path, "hard"));
  const rules = [rule("deny", "Read", "./.env"), rule("deny", "Edit", "src/**"), rule("allow", "Bash"), rule("allow", "Read")];
  const mode = "bypassPermissions";
  for (const path of [".env", ".//.env", "sub/../.env", "/proc/self/root" + dir.path + "/.env", "alias", "here/.env", "hard", ".ENV"]) {
    for (const tool of ["Read", "Grep", "Glob"]) expect(decide(dir.path, read(path, { tool, mode, rules })).rule).toBe("deny:Read(./.env)");
    expect(decide(dir.path, bash(`cat ${path}`, { mode, rules })).rule).toBe("deny:Read(./.env)");
  }
  expect(decide(dir.path, bash("grep x --file=.env", { mode, rules })).behavior).toBe("deny");
  expect(decide(dir.path, write("src/a", { mode, rules })).rule).toBe("deny:Edit(src/**)");
  expect(decide(dir.path, read("src/a", { mode, rules })).behavior).toBe("allow");
  expect(decide(dir.path, bash("cat src/a", { mode, rules })).behavior).toBe("allow");
});

test("what Read may read, Grep and Glob may search; nothing else is allowed along with it", () => {
  using dir = tempDir();
  const rules = [rule("allow", "Read", "/opt/lib/**")];
  for (const tool of ["Read", "Grep", "Glob"]) expect(decide(dir.path, read("/opt/lib/x", { tool, rules })).behavior).toBe("allow");
  expect(decide(dir.path, write("/opt/lib/x", { rules })).behavior).toBe("ask");
});

test("a link decides by where it leads (V-190)", () => {
  using dir = tempDir();
  using outside = tempDir();
  symlinkSync(outside.path, join(dir.path, "d"));
  for (const access of [read("d/x"), write("d/x", { mode: "acceptEdits" }), write("d/../x", { mode: "acceptEdits" })]) {
    expect(decide(dir.path, access).behavior).toBe("ask");
  }
});

const PROTECTED = [
  ".git/config", ".git/hooks/pre-commit", "sub/.git/config", ".git", ".agent/config.jsonc", ".agent/config.local.jsonc", ".agent/agents/x.md", ".agent/hooks/x",
  ".claude/settings.json", ".claude/agents/x.md", ".mcp.json", ".vscode/tasks.json", ".vscode/settings.json", ".husky/pre-commit", ".bashrc", ".zshrc", ".profile",
  ".envrc", ".npmrc", ".gitmodules", "user-config/config.jsonc", "state/ledger.db",
];

test.each(PROTECTED)("%s is not free to write, whether it exists or not, in any letter case (V-184)", (name) => {
  using dir = tempDir();
  const protectedPaths = [join(dir.path, "user-config"), join(dir.path, "state")];
  const behaviors = (path: string) =>
    ["Write", "Edit"].map((tool) => decide(dir.path, write(path, { tool, mode: "acceptEdits", protectedPaths, rules: [rule("allow", tool), rule("allow", tool, "**")] })).behavior);
  expect(behaviors(name)).toEqual(["ask", "ask"]);
  expect(behaviors(name.toUpperCase())).toEqual(["ask", "ask"]);
  mkdirSync(join(dir.path, dirname(name)), { recursive: true });
  writeFileSync(join(dir.path, name), "");
  symlinkSync(join(dir.path, name), join(dir.path, "innocent"));
  expect(behaviors(name)).toEqual(["ask", "ask"]);
  expect(behaviors("innocent")).toEqual(["ask", "ask"]);
  expect(decide(dir.path, bash(`cp x ${name}`, { mode: "acceptEdits" })).behavior).toBe("ask");
});

test("a protected name is written where a rule speaks of it", () => {
  using dir = tempDir();
  const rules = [rule("allow", "Write", ".git/hooks/**")];
  expect(decide(dir.path, write(".git/hooks/x", { rules })).behavior).toBe("allow");
  expect(decide(dir.path, write(".git/config", { rules })).behavior).toBe("ask");
});

test("a working directory below a protected name is as free as any other, but for .git", () => {
  using dir = tempDir();
  const behaviorIn = (directory: string, name: string) => {
    const cwd = join(dir.path, directory);
    mkdirSync(cwd, { recursive: true });
    return decide(cwd, write(name, { mode: "acceptEdits", protectedPaths: [join(dir.path, "state")] })).behavior;
  };
  expect(behaviorIn(".claude/worktrees/x", "src/a.ts")).toBe("allow");
  expect(behaviorIn(".claude/worktrees/x", ".claude/settings.json")).toBe("ask");
  expect(behaviorIn("state/worktrees/x", "src/a.ts")).toBe("allow");
  expect(behaviorIn("repo/.git", "config")).toBe("ask");
});

test.each(["src/git/config", "a.git/x", ".gitignore", ".github/x.yml", ".vscode/extensions.json", "AGENTS.md", ".env"])("%s is an ordinary file", (name) => {
  using dir = tempDir();
  expect(decide(dir.path, write(name, { mode: "acceptEdits" })).behavior).toBe("allow");
});

test("every refusal that a flag could lift names exactly that flag", () => {
  using dir = tempDir();
  using outside = tempDir();
  const flag = (request: Case) => decide(dir.path, request).flag;
  expect(flag(bash("npm test"))).toBe("--allow 'Bash(npm test:*)'");
  expect(flag(bash("npm run build -- --x"))).toBe("--allow 'Bash(npm run build:*)'");
  expect(flag(bash("rm -rf dist"))).toBe("--allow 'Bash(rm -rf dist)'");
  expect(flag(bash("git -C x status"))).toBe("--allow 'Bash(git -C x status)'");
  expect(flag(bash("a && b"))).toBe("--permission-mode bypassPermissions");
  expect(flag(bash("npm test", { mode: "plan" }))).toBe("--permission-mode default --allow 'Bash(npm test:*)'");
  expect(flag(write("a"))).toBe("--permission-mode acceptEdits");
  expect(flag(read(join(outside.path, "x")))).toBe(`--add-dir ${outside.path}`);
  expect(flag(read(outside.path))).toBe(`--add-dir ${outside.path}`);
  expect(flag(write(join(outside.path, "new/x"), { mode: "acceptEdits" }))).toBe(`--add-dir ${outside.path}`);
  expect(flag(write(join(outside.path, "x")))).toBe(`--permission-mode acceptEdits --add-dir ${outside.path}`);
  expect(flag(write(".git/config", { mode: "acceptEdits" }))).toBe("--allow 'Write(.git/config)'");
  expect(flag(bash("rm x", { rules: [rule("deny", "Bash", "rm:*")] }))).toBeUndefined();
});

test("reasons say what was decided about what", () => {
  using dir = tempDir();
  expect(decide(dir.path, bash("a && b")).reason).toContain("A rule for a command covers plain ones only");
  expect(decide(dir.path, bash("npm test")).reason).toBe('No rule allows the command "npm test"');
  expect(decide(dir.path, read("/etc/hostname")).reason).toBe('"/etc/hostname" is outside the working directories');
  expect(decide(dir.path, write(".husky/x", { mode: "acceptEdits" })).reason).toContain('what stands in ".husky" can make programs run');
  expect(decide(dir.path, write("a", { mode: "plan" })).reason).toBe('The permission mode "plan" allows reading only');
});
