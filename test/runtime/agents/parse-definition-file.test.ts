import { describe, expect, test } from "bun:test";
import type { DefinitionSource } from "../../../src/core/agent-definition.ts";
import { parseDefinitionFile } from "../../../src/runtime/agents/parse-definition-file.ts";
import { parseInlineDefinitions } from "../../../src/runtime/agents/parse-inline-definitions.ts";
import { TOOL_NAMES } from "../../../src/tools/tool-names.ts";

const parse = (text: string, source: DefinitionSource = "user") => parseDefinitionFile(text, { source, file: "f.md", knownTools: TOOL_NAMES });
const withField = (field: string, source?: DefinitionSource) => parse(`---\nname: x\ndescription: d\n${field}\n---\nDo it.`, source);
const said = ({ problems }: ReturnType<typeof parse>) => problems.map(({ level, line, message }) => `${line} ${level}: ${message}`);

describe("a file", () => {
  test("of the usual form", () => {
    const text = '---\nname: code-reviewer\ndescription: Use this agent when code was written. Examples: <example>Context: x. user: "Done"</example>\\n more\ntools: Read, Grep, Glob, Bash\nmodel: sonnet\ncolor: red\n---\n\nYou are a reviewer.\n\n## Steps\n1. Look.\n';
    const { definition, problems } = parse(text);
    expect(definition).toEqual({
      name: "code-reviewer",
      description: 'Use this agent when code was written. Examples: <example>Context: x. user: "Done"</example>\\n more',
      tools: ["Read", "Grep", "Glob", "Bash"],
      model: "sonnet",
      color: "red",
      prompt: "You are a reviewer.\n\n## Steps\n1. Look.",
      source: "user",
      file: "f.md",
      line: 2,
    });
    expect(problems.map(({ level, line }) => [level, line])).toEqual([["warning", 3]]);
  });

  test("with every field", () => {
    const text =
      "---\nname: x\ndescription: d\ntools: [Read, mcp__db__query]\ndisallowedTools: [Bash]\nmodel: inherit\npermissionMode: plan\nmaxTurns: 5\nmaxBudgetUsd: 0.5\nmaxTokens: 9000\ntimeout: 10m\nisolation: worktree\nbackground: true\nthinking: off\nomitProjectInstructions: true\ncolor: blue\nmcpServers: {db: {command: npx, args: [x], env: {A: b}}}\n---\r\nGo.";
    expect(parse(text)).toEqual({
      name: "x",
      problems: [],
      definition: {
        name: "x",
        description: "d",
        prompt: "Go.",
        tools: ["Read", "mcp__db__query"],
        disallowedTools: ["Bash"],
        model: "inherit",
        permissionMode: "plan",
        maxTurns: 5,
        maxBudgetUsd: 0.5,
        maxTokens: 9_000,
        timeoutMs: 600_000,
        isolation: "worktree",
        background: true,
        thinking: "off",
        omitProjectInstructions: true,
        color: "blue",
        mcpServers: { db: { command: "npx", args: ["x"], env: { A: "b" } } },
        source: "user",
        file: "f.md",
        line: 2,
      },
    });
  });

  test.each([
    ["tools: '*'", "all"],
    ["tools: *", "all"],
    ["tools: ['*']", "all"],
    ["model: opus", "all"],
    ["tools: []", []],
    ["tools: Read", ["Read"]],
    ["tools:\n  - Read\n  - Grep", ["Read", "Grep"]],
    ["tools: Read, Read , Grep", ["Read", "Grep"]],
    ["tools: WebFetch", []],
  ])("with %j has the tools %j", (field, tools) => {
    expect(withField(field).definition?.tools).toEqual(tools as never);
  });

  test("may call a field by the name that others use", () => {
    expect(withField("omitClaudeMd: true").definition).toMatchObject({ omitProjectInstructions: true });
    expect(withField("omitClaudeMd: true").problems).toEqual([]);
  });
});

describe("an error makes a definition unusable, and says its line", () => {
  test.each([
    ["tools: Raed", '4 error: unknown tool "Raed": did you mean "Read"?'],
    ["tools: Frobnicate", `4 error: unknown tool "Frobnicate": the tools are ${TOOL_NAMES.join(", ")}`],
    ["model: opus\ntools: Bash(git add:*, git commit:*), Read", '5 error: "Bash(git add:*, git commit:*)" is a permission rule and no tool: name the tool alone'],
    ["disallowedTools: bash", '4 error: unknown tool "bash": did you mean "Bash"?'],
    ["tools:", '4 error: "tools" must be names of tools: a list, or a text with commas; "*" for all, [] for none'],
    ["tools: [1]", '4 error: "tools" must be names of tools: a list, or a text with commas; "*" for all, [] for none'],
    ["tools: Read,,Grep", '4 error: "tools" must be names of tools: a list, or a text with commas; "*" for all, [] for none'],
    ["permissionMode: auto", '4 error: "permissionMode" must be one of default, acceptEdits, plan, dontAsk, bypassPermissions'],
    ["maxTurns: 0", '4 error: "maxTurns" must be a whole number from 1 up'],
    ["maxTurns: '5'", '4 error: "maxTurns" must be a whole number from 1 up'],
    ["maxBudgetUsd: -1", '4 error: "maxBudgetUsd" must be an amount of US dollars, more than 0'],
    ["maxBudgetUsd: .inf", '4 error: "maxBudgetUsd" must be an amount of US dollars, more than 0'],
    ["timeout: soon", '4 error: "timeout" must be a time such as 90 (seconds), 500ms, 10m or 2h, at most 24d'],
    ["isolation: vm", '4 error: "isolation" must be one of none, worktree'],
    ["background: yes", '4 error: "background" must be true or false'],
    ["thinking: hard", '4 error: "thinking" must be one of off, low, medium, high, inherit, or a number of tokens from 1024 up'],
    ["model: [a]", '4 error: "model" must be a short text'],
  ])("%j", (field, message) => {
    const defined = withField(field);
    expect(said(defined)).toEqual([message]);
    expect(defined).toMatchObject({ name: "x", definition: undefined });
  });

  test.each([
    ["---\ndescription: d\n---\nGo.", ['1 error: "name" is missing']],
    ["---\nname: x\n---\nGo.", ['1 error: "description" is missing']],
    ["---\nname: x\ndescription:\n---\nGo.", ['1 error: "description" is missing']],
    ["---\nname: x\ndescription: d\n---\n \n", ["5 error: the prompt is missing: say what the agent is to do"]],
    ["---\nname: 1x\ndescription: d\n---\nGo.", ['2 error: "name" must be up to 64 letters, digits, "_" and "-", the first a letter']],
    ["---\nname: ../x\ndescription: d\n---\nGo.", ['2 error: "name" must be up to 64 letters, digits, "_" and "-", the first a letter']],
    ["---\nname: 5\ndescription: d\n---\nGo.", ['2 error: "name" must be up to 64 letters, digits, "_" and "-", the first a letter']],
    ["Just text.", ['1 error: the file must begin with a line of "---" and the fields']],
    ["---\nname: x\nname: y\n---\nGo.", ['3 error: "name" stands there twice']],
  ])("%j", (text, problems) => {
    expect(said(parse(text))).toEqual(problems);
    expect(parse(text).definition).toBeUndefined();
  });
});

describe("a warning leaves it usable", () => {
  test.each([
    ["modle: opus", '4 warning: unknown field "modle" is ignored: did you mean "model"?'],
    ["model: opus\nzzz: 1", '5 warning: unknown field "zzz" is ignored'],
    ["constructor: 1", '4 warning: unknown field "constructor" is ignored'],
    ["tools: Read, WebFetch", '4 warning: there is no tool "WebFetch" in this program; it is left out'],
    ["hooks: {a: b}", '4 warning: "hooks" is ignored: there are none of an agent'],
  ])("%j", (field, message) => {
    const defined = withField(field);
    expect(said(defined)).toEqual([message]);
    expect(defined.definition?.name).toBe("x");
  });
});

describe("a file of the project", () => {
  test.each([
    ["permissionMode: bypassPermissions", "permissionMode"],
    ["permissionMode: acceptEdits", "permissionMode"],
    ["mcpServers: {x: {command: touch, args: [canary]}}", "mcpServers"],
    ["model: scripted:evil.json", "model"],
  ])("cannot decide %j", (field, key) => {
    const defined = withField(field, "project");
    expect(defined.definition).toBeDefined();
    expect(defined.definition).not.toContainKey(key);
    expect(said(defined)).toEqual([expect.stringContaining(`4 warning: "${key}" is ignored: `)]);
  });

  test.each(["permissionMode: plan", "permissionMode: default", "model: opus", "model: claude-opus-5-5", "model: inherit", "maxTurns: 3"])("may say %j", (field) => {
    expect(withField(field, "project").problems).toEqual([]);
    expect(Object.keys(withField(field, "project").definition ?? {})).toContain(field.split(":")[0] ?? "");
  });
});

describe("definitions in JSON", () => {
  const inline = (text: string) => parseInlineDefinitions({ text, origin: "--agents" }, TOOL_NAMES);

  test("are those of an object, with the lines of their fields", () => {
    const [first, second] = inline('{\n  // mine\n  "a": { "description": "d", "prompt": "Go.", "tools": ["Read"] },\n  "b": {\n    "description": "d",\n    "prompt": "Go.",\n    "modle": "x"\n  }\n}');
    expect(first?.definition).toEqual({ name: "a", description: "d", prompt: "Go.", tools: ["Read"], source: "flag", file: "--agents", line: 3 });
    expect(second?.problems).toEqual([{ level: "warning", file: "--agents", line: 7, name: "b", message: 'unknown field "modle" is ignored: did you mean "model"?' }]);
  });

  test.each([
    ["[]", "1 the definitions are an object"],
    ["{", "1 "],
    ['{"a": 1}', '1 "a" must be an object'],
    ['{"a": {"description": "d"}}', "1 the prompt is missing"],
    ['{"a": {\n"name": "b", "description": "d", "prompt": "p"}}', '2 "name" must be "a", or left out'],
    ['{"a b": {"description": "d", "prompt": "p"}}', '1 "name" must be up to 64 letters'],
    ['{"a": {"description": "d", "prompt": "p"}, "a": {}}', "1 the key"],
    ['{"__proto__": {"description": "d", "prompt": "p"}}', '1 "name" must be up to 64'],
  ])("%j is refused", (text, problem) => {
    const problems = inline(text).flatMap((agent) => agent.problems);
    expect(problems.map(({ line, message }) => `${line} ${message}`)).toEqual([expect.stringContaining(problem)]);
  });
});
