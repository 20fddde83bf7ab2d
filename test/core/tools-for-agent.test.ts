import { expect, test } from "bun:test";
import type { AgentDefinition } from "../../src/core/agent-definition.ts";
import { toolsForAgent } from "../../src/core/tools-for-agent.ts";

const ALL = ["Bash", "Read", "Write", "Agent", "Workflow", "TeamCreate", "AskUserQuestion", "Unheard", "mcp__db__query", "mcp__web__get"];
const MCP = ["mcp__db__query", "mcp__web__get"];

type Case = readonly [
  what: string,
  definition: Partial<Pick<AgentDefinition, "tools" | "disallowedTools" | "source">>,
  where: { readonly depth?: number; readonly depthMax?: number; readonly isBackground?: boolean },
  tools: readonly string[],
];

const cases: readonly Case[] = [
  ["a root agent with all tools has all", {}, { depth: 0 }, ALL],
  ["a root agent has what is listed, and the tools of servers", { tools: ["Write", "Read"] }, { depth: 0 }, ["Read", "Write", ...MCP]],
  ["nothing listed leaves the tools of servers", { tools: [] }, { depth: 0 }, MCP],
  ["a subagent lacks what is for the root alone", {}, {}, ["Bash", "Read", "Write", "Agent", "Unheard", ...MCP]],
  ["also where it is listed", { tools: ["Read", "TeamCreate", "AskUserQuestion"] }, {}, ["Read", ...MCP]],
  ["what is for built-in ones alone", { source: "built-in" }, {}, ["Bash", "Read", "Write", "Agent", "Workflow", "Unheard", ...MCP]],
  ["one that nobody waits for lacks what is not known to need nobody", {}, { isBackground: true }, ["Bash", "Read", "Write", "Agent", ...MCP]],
  ["a root agent in the background has all", {}, { depth: 0, isBackground: true }, ALL],
  ["no agent starts another at the depth limit", { tools: ["Read", "Agent"] }, { depth: 3 }, ["Read", ...MCP]],
  ["nor beyond it", { tools: ["Read", "Agent"] }, { depth: 7 }, ["Read", ...MCP]],
  ["nor a root agent where the limit is 0", { tools: ["Read", "Agent"] }, { depth: 0, depthMax: 0 }, ["Read", ...MCP]],
  ["just above it one does", { tools: ["Read", "Agent"] }, { depth: 2 }, ["Read", "Agent", ...MCP]],
  ["what is disallowed goes", { disallowedTools: ["Bash", "Agent"] }, {}, ["Read", "Write", "Unheard", ...MCP]],
  ["disallowed wins over listed", { tools: ["Bash", "Read"], disallowedTools: ["Bash"] }, {}, ["Read", ...MCP]],
  ["a single tool of a server goes", { tools: [], disallowedTools: ["mcp__db__query"] }, {}, ["mcp__web__get"]],
  ["a whole server goes", { tools: [], disallowedTools: ["mcp__db"] }, {}, ["mcp__web__get"]],
  ["also with a star", { tools: [], disallowedTools: ["mcp__db__*"] }, {}, ["mcp__web__get"]],
];

test.each(cases)("%s", (_what, { tools = "all", source = "user", ...rest }, { depth = 1, depthMax = 3, isBackground = false }, expected) => {
  expect(toolsForAgent({ tools, source, ...rest }, { toolNames: ALL, depth, depthMax, isBackground })).toEqual([...expected]);
});
