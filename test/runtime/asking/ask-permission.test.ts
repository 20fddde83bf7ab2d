import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PermissionQuestion, PermissionReply, ToolAccess, Verdict } from "../../../src/core/permission.ts";
import { decidePermission } from "../../../src/permissions/decide.ts";
import { createPermissionAsking } from "../../../src/runtime/asking/ask-permission.ts";
import { createPermissionGrants } from "../../../src/runtime/asking/permission-grants.ts";
import { agentContext } from "../../support/agent-context.ts";
import { testTool } from "../../support/scripted-query.ts";
import { tempDir } from "../../support/temp-dir.ts";

const WRITE = testTool("Write", () => "");

describe("the answer of a person", () => {
  test("once: the call may run and nothing else", async () => {
    using world = makeWorld(["once", "refused"]);
    expect(await world.ask("a.txt")).toEqual({ isFromUser: true, verdict: { behavior: "allow", layer: "user", reason: "The user allowed this call" } });
    expect((await world.ask("a.txt")).verdict).toEqual({ behavior: "deny", layer: "user", reason: "The user refused this call" });
    expect(world.asked).toHaveLength(2);
  });

  test("this run: the rules hold, without another question, and no file knows of it", async () => {
    using world = makeWorld(["run"]);
    const { verdict } = await world.ask("a.txt");
    expect(verdict).toEqual({ behavior: "allow", layer: "user", reason: "The user allowed this call, and what these rules cover for this run", grants: [`Write(${world.path("a.txt")})`] });
    expect(await world.ask("a.txt")).toMatchObject({ isFromUser: false, verdict: { behavior: "allow", rule: `allow:Write(${world.path("a.txt")})`, layer: "user" } });
    expect(existsSync(world.settings)).toBe(false);
  });

  test("always: the user's settings have the rules, behind the others", async () => {
    using world = makeWorld(["always"]);
    mkdirSync(join(world.settings, ".."));
    writeFileSync(world.settings, '{\n  "permissions": { "allow": ["Read"] } // mine\n}\n');
    expect((await world.ask("a.txt")).verdict.reason).toContain("from now on");
    expect(readFileSync(world.settings, "utf8")).toBe(`{\n  "permissions": { "allow": ["Read", "Write(${world.path("a.txt")})"] } // mine\n}\n`);
    expect((await world.ask("a.txt")).isFromUser).toBe(false);
    expect(world.warnings).toEqual([]);
  });

  test("always, where the settings cannot be written: a warning, and it holds for the run", async () => {
    using world = makeWorld(["always"]);
    mkdirSync(join(world.settings, ".."));
    writeFileSync(world.settings, "not json");
    expect((await world.ask("a.txt")).verdict).toMatchObject({ behavior: "allow", reason: expect.stringContaining("for this run") });
    expect(world.warnings).toEqual([expect.stringContaining("What was allowed holds for this run only: ")]);
    expect((await world.ask("a.txt")).isFromUser).toBe(false);
    expect(readFileSync(world.settings, "utf8")).toBe("not json");
  });

  test.each<[PermissionReply, boolean, string]>([
    ["unanswered", true, "deny"],
    ["unasked", false, "ask"],
  ])("%s: the call is not allowed", async (reply, isFromUser, behavior) => {
    using world = makeWorld([reply]);
    expect(await world.ask("a.txt")).toMatchObject({ isFromUser, verdict: { behavior } });
  });
});

describe("questions", () => {
  test("are put one at a time, and not at all where an earlier answer settled them", async () => {
    using world = makeWorld(["run", "refused"]);
    const answers = await Promise.all([world.ask("a.txt"), world.ask("a.txt"), world.ask("b.txt")]);
    expect(world.asked.map(({ access }) => access)).toEqual([world.access("a.txt"), world.access("b.txt")]);
    expect(world.mostOpen()).toBe(1);
    expect(answers.map(({ isFromUser, verdict }) => [isFromUser, verdict.behavior])).toEqual([[true, "allow"], [false, "allow"], [true, "deny"]]);
  });

  test("are not put when the turn was stopped while they waited", async () => {
    using world = makeWorld([]);
    expect(await world.ask("a.txt", AbortSignal.abort())).toMatchObject({ isFromUser: false, verdict: { behavior: "ask" } });
    expect(world.asked).toEqual([]);
  });

  test.each([["*"], ["**"], ["a[b].txt"], ["{a,b}"]])("offer no rule that means more than what is asked: a file named %s", async (name) => {
    using world = makeWorld(["once"]);
    await world.ask(name);
    expect(world.asked[0]?.verdict).toMatchObject({ behavior: "ask" });
    expect(world.asked[0]?.verdict.grants).toBeUndefined();
  });
});

/** A working directory where every write is a question, and a person whose replies are given in order. */
function makeWorld(replies: readonly PermissionReply[]) {
  const directory = tempDir();
  const settings = join(directory.path, "config", "config.jsonc");
  const grants = createPermissionGrants([]);
  const asked: PermissionQuestion[] = [];
  const warnings: string[] = [];
  let open = 0;
  let mostOpen = 0;
  const asking = createPermissionAsking({
    grants,
    userSettingsFile: settings,
    warn: (text) => void warnings.push(text),
    async askUser(question) {
      asked.push(question);
      mostOpen = Math.max(mostOpen, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      const reply = replies[asked.length - 1];
      if (reply === undefined) throw new Error("The test has no reply");
      return reply;
    },
  });
  const access = (name: string): ToolAccess => ({ kind: "write", path: join(directory.path, name) });
  const check = (tool: { readonly name: string }, its: ToolAccess): Verdict => {
    const { cwd, directories } = agentContext(directory.path);
    return decidePermission({ tool: tool.name, access: its, isReadOnly: false, context: { mode: "default", rules: grants.rules(), directories }, cwd });
  };
  return {
    settings,
    asked,
    warnings,
    access,
    path: (name: string) => join(directory.path, name),
    mostOpen: () => mostOpen,
    ask: (name: string, signal = new AbortController().signal) => asking({ tool: WRITE, access: access(name), signal }, check),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}
