import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { runCli } from "../../../src/cli/main.ts";
import { memoryIo } from "../../support/memory-io.ts";
import { tempDir } from "../../support/temp-dir.ts";

const REVIEWER = "---\nname: reviewer\ndescription: Reads changes.\ntools: Read, Grep\nmodel: opus\npermissionMode: plan\nmcpServers: {db: {command: x}}\n---\nReview it.\n";
const BROKEN = "---\nname: broken\ndescription: d\ntools: Raed\n---\nGo.\n";
const DOUBTFUL = "---\nname: doubtful\ndescription: d\nmodle: opus\n---\nGo.\n";

function makeWorld(files: Readonly<Record<string, string>> = {}) {
  const directory = tempDir();
  mkdirSync(join(directory.path, "project"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory.path, name)), { recursive: true });
    writeFileSync(join(directory.path, name), text);
  }
  return {
    at: (name: string) => join(directory.path, name),
    async agents(...argv: readonly string[]) {
      const io = memoryIo({ env: { HOME: directory.path, AGENT_CONFIG: join(directory.path, "config", "config.jsonc") } });
      const code = await runCli(["agents", ...argv, "-C", join(directory.path, "project")], io);
      return { code, stdout: io.stdout.text, stderr: io.stderr.text };
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  };
}

describe("ls", () => {
  test("has a line for each definition that can be used, and says what is wrong with the others", async () => {
    using world = makeWorld({ "config/agents/r.md": REVIEWER, "project/.agent/agents/b.md": BROKEN, "project/.claude/agents/d.md": DOUBTFUL });
    const { code, stdout, stderr } = await world.agents("ls");
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/).slice(0, 4))).toEqual([
      ["general-purpose", "built-in", "inherit", "all"],
      ["Explore", "built-in", "inherit", "Read, Grep, Glob, Bash"],
      ["Plan", "built-in", "inherit", "Read, Grep, Glob, Bash"],
      ["doubtful", "project", "inherit", "all"],
      ["reviewer", "user", "opus", "Read, Grep"],
      [""],
    ]);
    expect(stderr).toBe(`agent: ${world.at("project/.agent/agents/b.md")}:4: error: unknown tool "Raed": did you mean "Read"?\n`);
    expect(code).toBe(0);
  });

  test("--json has them whole, in one line", async () => {
    using world = makeWorld();
    const { stdout } = await world.agents("ls", "--json", "--agents", '{"x": {"description": "d", "prompt": "p"}}');
    expect(stdout.trimEnd()).not.toContain("\n");
    expect(JSON.parse(stdout)).toMatchObject([{ name: "general-purpose", tools: "all" }, { name: "Explore", tools: ["Read", "Grep", "Glob", "Bash"] }, { name: "Plan" }, { name: "x", source: "flag" }]);
  });
});

describe("show", () => {
  test("--json gives back what the file holds", async () => {
    using world = makeWorld({ "config/agents/r.md": REVIEWER });
    const { stdout, code } = await world.agents("show", "reviewer", "--json");
    expect(JSON.parse(stdout)).toEqual({
      v: 1,
      name: "reviewer",
      description: "Reads changes.",
      prompt: "Review it.",
      tools: ["Read", "Grep"],
      model: "opus",
      permissionMode: "plan",
      mcpServers: { db: { command: "x" } },
      source: "user",
      file: world.at("config/agents/r.md"),
      line: 2,
    });
    expect(code).toBe(0);
  });

  test("people get the fields and the prompt", async () => {
    using world = makeWorld({ "config/agents/r.md": REVIEWER });
    const { stdout } = await world.agents("show", "reviewer");
    expect(stdout).toBe(
      [
        "name            reviewer",
        `source          user, ${world.at("config/agents/r.md")}:2`,
        "description     Reads changes.",
        "tools           Read, Grep",
        "permissionMode  plan",
        "model           opus",
        'mcpServers      {"db":{"command":"x"}}',
        "",
        "Review it.",
        "",
      ].join("\n"),
    );
  });

  test.each([
    ["explore", 7, 'Unknown agent "explore": did you mean "Explore"?'],
    ["broken", 2, 'Cannot use agent "broken": '],
  ])("of %s is exit %d", async (name, exitCode, message) => {
    using world = makeWorld({ "config/agents/b.md": BROKEN });
    const { code, stdout, stderr } = await world.agents("show", name);
    expect({ code, stdout }).toMatchObject({ code: exitCode, stdout: "" });
    expect(stderr).toContain(message);
  });
});

describe("validate", () => {
  test("is content with warnings", async () => {
    using world = makeWorld({ "project/.agent/agents/d.md": DOUBTFUL });
    const expected = `${world.at("project/.agent/agents/d.md")}:4: warning: unknown field "modle" is ignored: did you mean "model"?\n4 usable definitions, 0 errors, 1 warning\n`;
    expect(await world.agents("validate")).toEqual({ code: 0, stdout: expected, stderr: "" });
  });

  test("fails for an error", async () => {
    using world = makeWorld({ "project/.agent/agents/b.md": BROKEN });
    const expected = `${world.at("project/.agent/agents/b.md")}:4: error: unknown tool "Raed": did you mean "Read"?\n3 usable definitions, 1 error, 0 warnings\n`;
    expect(await world.agents("validate")).toEqual({ code: 2, stdout: expected, stderr: "" });
  });

  test.each([
    ["new/r.md", 0, ["reviewer"], 0],
    ["new/b.md", 2, [], 1],
    ["new", 2, ["doubtful", "reviewer", "doubtful"], 4],
    ["inline.json", 0, ["x"], 0],
  ])("%s alone", async (name, exitCode, names, problems) => {
    using world = makeWorld({ "new/b.md": BROKEN, "new/d.md": DOUBTFUL, "new/r.md": REVIEWER, "new/s.md": DOUBTFUL, "inline.json": '{"x": {"description": "d", "prompt": "p"}}', "project/.agent/agents/b.md": BROKEN });
    const { code, stdout } = await world.agents("validate", world.at(name), "--json");
    const result = JSON.parse(stdout);
    expect([code, result.v, result.definitions.map((each: { name: string }) => each.name), result.problems.length]).toEqual([exitCode, 1, names, problems]);
  });

  test("of what is not there is exit 7", async () => {
    using world = makeWorld();
    expect(await world.agents("validate", world.at("none"))).toMatchObject({ code: 7, stdout: "", stderr: expect.stringContaining("There is no file or folder") });
  });
});

test("what people read of a file cannot take over their terminal", async () => {
  using world = makeWorld({ "project/.agent/agents/e.md": '---\nname: e\ndescription: "a\\e[2Jb"\n---\n\u001B[2J\u202Ego\n', "project/.agent/agents/f.md": '---\nname: f\ndescription: d\n"x\u001B[2J": 1\n---\ngo\n' });
  const shown = [await world.agents("ls"), await world.agents("show", "e"), await world.agents("validate")].map(({ stdout, stderr }) => stdout + stderr).join("");
  expect(shown).not.toMatch(/[\u001B\u202E]/);
});

test.each([
  [[], 'Missing what to do behind "agent agents": it takes ls, show, validate'],
  [["lst"], 'Unknown word "lst" behind "agent agents": did you mean "ls"?'],
  [["show"], 'Missing the name behind "agent agents show"'],
  [["ls", "x"], 'Unexpected argument "x": "agent agents ls" lists all'],
  [["ls", "--agents", "none.json"], 'Cannot read the agents "none.json"'],
])("%j is exit 2", async (argv, message) => {
  using world = makeWorld();
  const { code, stdout, stderr } = await world.agents(...argv);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toStartWith(`agent: ${message}`);
});
