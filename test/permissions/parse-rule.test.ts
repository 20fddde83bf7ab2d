import { expect, test } from "bun:test";
import { parsePermissionRule } from "../../src/permissions/parse-rule.ts";
import { appErrorOf } from "../support/thrown.ts";

const knownTools = ["Bash", "Read", "Write", "Edit", "Glob", "Grep", "TodoWrite"];
const parse = (text: string, behavior: "allow" | "deny" = "allow") => parsePermissionRule(text, { behavior, layer: "flag", knownTools });

test("a rule is a tool, with or without what it covers", () => {
  expect(parse("Bash")).toEqual({ behavior: "allow", tool: "Bash", layer: "flag" });
  expect(parse(" Bash(npm test:*) ")).toEqual({ behavior: "allow", tool: "Bash", spec: "npm test:*", layer: "flag" });
  expect(parse("Edit(src/(group)/*.ts)").spec).toBe("src/(group)/*.ts");
  expect(parse("Read(*)")).toEqual({ behavior: "allow", tool: "Read", layer: "flag" });
});

test("the tools of servers are known by their form, those of one server together too", () => {
  for (const name of ["mcp__db__query", "mcp__db", "mcp__db__*"]) expect(parse(name)).toEqual({ behavior: "allow", tool: name, layer: "flag" });
});

test.each([
  ["mcp__", 'there is no tool "mcp__"'],
  ["mcp__*", 'there is no tool "mcp__*"'],
  ["Read*", 'there is no tool "Read*"'],
  ["mcp__db__query(x)", '"mcp__db__query" takes no parentheses'],
  ["", "must be Tool or Tool(what)"],
  ["Bash(npm test", "must be Tool or Tool(what)"],
  ["Bash (ls)", "must be Tool or Tool(what)"],
  ["Raed", 'did you mean "Read"?'],
  ["bash(ls)", "the tools are Bash, Read"],
  ["Read()", '"Read" alone covers every call'],
  ["TodoWrite(x)", '"TodoWrite" takes no parentheses'],
  ["Bash(git * main)", "at the end only"],
  ["Bash(npm test && ls)", "plain commands only"],
  ["Bash(FOO=1 npm test)", "plain commands only"],
  ["Edit({a,b)", "a brace is not closed"],
  ["Edit(src/[ab)", "a bracket is not closed"],
  ["Edit(!src/**)", "a rule of the opposite kind"],
  ["Edit(@(a|b))", "use {a,b}"],
  ["Edit(*/../x)", ".. may stand at the beginning only"],
])("%p is refused with what is wrong: %s", async (text, problem) => {
  const error = await appErrorOf(() => parse(text));
  expect(error.reason).toBe("usage");
  expect(error.message).toStartWith(`Invalid allow rule "${text}": `);
  expect(error.message).toContain(problem);
});

test("a deny rule may name a command that no allow rule could cover", () => {
  expect(parse("Bash(rm -rf ~)", "deny").spec).toBe("rm -rf ~");
});
