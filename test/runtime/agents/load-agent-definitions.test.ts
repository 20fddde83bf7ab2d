import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { BUILT_IN_DEFINITIONS } from "../../../src/runtime/agents/built-in-definitions.ts";
import { loadAgentDefinitions } from "../../../src/runtime/agents/load-agent-definitions.ts";
import { TOOL_NAMES } from "../../../src/tools/tool-names.ts";
import { tempDir } from "../../support/temp-dir.ts";

/** The content of a definition. */
const agent = (name: string, fields = "", prompt = `I am ${name}.`) => `---\nname: ${name}\ndescription: d\n${fields}\n---\n${prompt}\n`;

function makeWorld(files: Readonly<Record<string, string>> = {}) {
  const directory = tempDir();
  const put = (name: string, text: string) => {
    mkdirSync(dirname(join(directory.path, name)), { recursive: true });
    writeFileSync(join(directory.path, name), text);
  };
  for (const name of ["project", "home", "config"]) mkdirSync(join(directory.path, name));
  for (const [name, text] of Object.entries(files)) put(name, text);
  return {
    path: directory.path,
    put,
    at: (name: string) => join(directory.path, name),
    load: (inline?: string) =>
      loadAgentDefinitions({
        cwd: join(directory.path, "project"),
        config: join(directory.path, "config", "config.jsonc"),
        home: join(directory.path, "home"),
        inline: inline === undefined ? undefined : { text: inline, origin: "--agents" },
      }),
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

test("the built-in definitions name tools that there are, and are all there is without folders", () => {
  const named = BUILT_IN_DEFINITIONS.flatMap(({ tools }) => (tools === "all" ? [] : tools));
  expect(named.filter((name) => !TOOL_NAMES.some((known) => known === name))).toEqual([]);
  using world = makeWorld();
  const { list, problems } = world.load();
  expect(list().map(({ name, source }) => [name, source])).toEqual([["general-purpose", "built-in"], ["Explore", "built-in"], ["Plan", "built-in"]]);
  expect(problems).toEqual([]);
  for (const { name, tools, permissionMode, omitProjectInstructions } of list().slice(1)) {
    expect([name, tools, permissionMode, omitProjectInstructions]).toEqual([name, ["Read", "Grep", "Glob", "Bash"], "plan", true]);
  }
});

describe("of one name", () => {
  const everywhere = {
    "home/.claude/agents/a.md": agent("a", "", "home"),
    "config/agents/a.md": agent("a", "", "config"),
    "project/.claude/agents/a.md": agent("a", "", "claude"),
    "project/.agent/agents/a.md": agent("a", "", "project"),
  };

  test("the flag's holds, then the project's, then the user's; ours before another program's", () => {
    const left: Record<string, string> = { ...everywhere };
    const held: (string | undefined)[] = [];
    {
      using world = makeWorld(left);
      held.push(world.load('{"a": {"description": "d", "prompt": "flag"}}').find("a")?.prompt);
    }
    for (const name of Object.keys(everywhere).toReversed()) {
      using world = makeWorld(left);
      const definitions = world.load();
      held.push(definitions.find("a")?.prompt);
      expect(definitions.problems).toEqual([]);
      expect(definitions.list().filter((each) => each.name === "a")).toHaveLength(1);
      delete left[name];
    }
    expect(held).toEqual(["flag", "project", "claude", "config", "home"]);
  });

  test("the first in a folder holds, and the other is told", () => {
    using world = makeWorld({ "config/agents/1.md": agent("a", "", "one"), "config/agents/2.md": agent("a", "", "two") });
    const { find, problems } = world.load();
    expect(find("a")?.prompt).toBe("one");
    expect(problems).toMatchObject([{ level: "error", file: world.at("config/agents/2.md"), line: 2, message: `"a" is defined in "${world.at("config/agents/1.md")}" already; this one is ignored` }]);
  });

  test("one with an error stands for nothing, and no other takes its place", () => {
    using world = makeWorld({ "config/agents/a.md": agent("a"), "project/.agent/agents/a.md": agent("a", "tools: Raed"), "config/agents/b.md": agent("b") });
    const { find, list, explainMissing } = world.load();
    expect(find("a")).toBeUndefined();
    expect(list().map(({ name }) => name)).toEqual(["general-purpose", "Explore", "Plan", "b"]);
    expect(explainMissing("a")).toBe(`Cannot use agent "a": ${world.at("project/.agent/agents/a.md")}:4: error: unknown tool "Raed": did you mean "Read"?`);
    expect(explainMissing("Exlpore")).toBe('Unknown agent "Exlpore": did you mean "Explore"? The agents are general-purpose, Explore, Plan, b');
    expect(explainMissing("nobody")).toBe('Unknown agent "nobody": The agents are general-purpose, Explore, Plan, b');
  });

  test("a user may replace a built-in one by what they like", () => {
    using world = makeWorld({ "config/agents/e.md": agent("Explore", "permissionMode: acceptEdits") });
    expect(world.load().find("Explore")).toMatchObject({ tools: "all", permissionMode: "acceptEdits", source: "user" });
  });

  test("a project stays within what it replaces", () => {
    using world = makeWorld({
      "project/.agent/agents/e.md": agent("Explore", "tools: '*'\npermissionMode: default\nmaxTurns: 9"),
      "config/agents/r.md": agent("reviewer", "tools: [Read, Bash]\ndisallowedTools: [Write]\nmaxTurns: 5\ntimeout: 1m"),
      "project/.claude/agents/r.md": agent("reviewer", "tools: Read, Write, Edit\npermissionMode: plan\nmaxTurns: 7\ntimeout: 10s"),
    });
    const { find } = world.load();
    expect(find("Explore")).toMatchObject({ source: "project", prompt: "I am Explore.", tools: ["Read", "Grep", "Glob", "Bash"], permissionMode: "plan", maxTurns: 9 });
    expect(find("reviewer")).toMatchObject({ source: "project", tools: ["Read"], disallowedTools: ["Write"], permissionMode: "plan", maxTurns: 5, timeoutMs: 10_000 });
  });
});

describe("files", () => {
  test("are those that end in .md, the README and hidden ones left out", () => {
    using world = makeWorld({ "config/agents/a.md": agent("a"), "config/agents/README.md": "# Agents", "config/agents/.b.md": "x", "config/agents/c.txt": "x", "config/agents/d/e.md": "x" });
    expect(world.load().list().map(({ name }) => name)).toEqual(["general-purpose", "Explore", "Plan", "a"]);
    expect(world.load().problems).toEqual([]);
  });

  test("that are links are read where they lead to the folder itself", () => {
    using world = makeWorld({ "config/agents/a.txt": agent("a"), "config/private.md": agent("private"), "config/agents-2/x.md": agent("x") });
    symlinkSync("a.txt", world.at("config/agents/a.md"));
    symlinkSync("../private.md", world.at("config/agents/private.md"));
    symlinkSync(world.at("config/agents-2/x.md"), world.at("config/agents/x.md"));
    symlinkSync("nowhere", world.at("config/agents/z.md"));
    const { list, problems } = world.load();
    expect(list().slice(3).map(({ name }) => name)).toEqual(["a"]);
    expect(problems.map(({ file, message }) => [file, message])).toEqual([
      [world.at("config/agents/private.md"), "a link out of the folder is not followed"],
      [world.at("config/agents/x.md"), "a link out of the folder is not followed"],
      [world.at("config/agents/z.md"), expect.stringContaining("cannot be read: ENOENT")],
    ]);
  });

  test("of a project whose folder is a link out of it are not read", () => {
    using world = makeWorld({ "elsewhere/agents/a.md": agent("a") });
    symlinkSync(world.at("elsewhere"), world.at("project/.agent"));
    const { find, problems } = world.load();
    expect(find("a")).toBeUndefined();
    expect(problems.map(({ message }) => message)).toEqual(["a link out of the project is not followed"]);
  });

  test("that cannot be read are a problem each, and the others are read", () => {
    using world = makeWorld({ "config/agents/a.md": agent("a"), "config/agents/big.md": agent("big", "", "x".repeat(262_144)), "config/agents/binary.md": "\0\u0001\ufffd" });
    mkdirSync(world.at("config/agents/folder.md"));
    Bun.spawnSync(["mkfifo", world.at("config/agents/pipe.md")]);
    const { find, problems } = world.load();
    expect(find("a")).toBeDefined();
    expect(problems.map(({ file, message }) => [file.slice(world.at("config/agents/").length), message])).toEqual([
      ["big.md", "it is larger than 256 KiB"],
      ["folder.md", expect.any(String)],
      ["pipe.md", "it is not a regular file"],
      ["binary.md", 'the file must begin with a line of "---" and the fields'],
    ]);
  });

  test("of a folder that is a file, or is closed to us, are none", () => {
    using world = makeWorld({ "config/agents": "x", "home/.claude/agents/a.md": agent("a") });
    if (process.geteuid?.() !== 0) chmodSync(world.at("home/.claude/agents"), 0o000);
    expect(world.load().list().length).toBeGreaterThanOrEqual(3);
    chmodSync(world.at("home/.claude/agents"), 0o700);
  });

  test("after the first 200 of a folder are ignored, and that is told", () => {
    using world = makeWorld(Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`config/agents/a${String(index).padStart(3, "0")}.md`, agent(`a${index}`)])));
    const { find, list, problems } = world.load();
    expect([list().length, find("a199")?.name, find("a200")]).toEqual([203, "a199", undefined]);
    expect(problems).toMatchObject([{ level: "error", message: "there are 201 files; those after the first 200 are ignored" }]);
  });

  test("of a home that is the project are the user's own", () => {
    using world = makeWorld({ "project/.claude/agents/a.md": agent("a", "permissionMode: acceptEdits") });
    const definitions = loadAgentDefinitions({ cwd: world.at("project"), config: world.at("config/config.jsonc"), home: world.at("project") });
    expect(definitions.find("a")).toMatchObject({ source: "user", permissionMode: "acceptEdits" });
  });
});
