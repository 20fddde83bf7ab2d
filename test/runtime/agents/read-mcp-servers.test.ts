import { describe, expect, test } from "bun:test";
import { readMcpServers } from "../../../src/runtime/agents/read-mcp-servers.ts";

const DB = { command: "npx", args: ["-y", "@modelcontextprotocol/server-postgres"], env: { URL: "postgres://x" } };

describe("servers are read", () => {
  test.each([
    ["by name", { db: DB, web: { type: "stdio", command: "web" } }],
    ["from a list of such objects", [{ db: DB }, { web: { command: "web" } }]],
  ])("%s, in their order", (_form, written) => {
    const { servers, errors, warnings } = readMcpServers(written);
    expect([Object.entries(servers ?? {}), errors, warnings]).toEqual([[["db", DB], ["web", { command: "web" }]], [], []]);
  });

  test.each([
    [["github"], '"mcpServers" names "github" without saying what it is, and nothing else does: it is left out'],
    [{ far: { type: "http", url: "https://x" } }, '"mcpServers" has "far", which is no program that can be started: it is left out'],
    [{ far: { url: "https://x" } }, '"mcpServers" has "far", which is no program that can be started: it is left out'],
  ])("and %j is left out, which is said", (written, warning) => {
    expect(readMcpServers(written)).toEqual({ errors: [], warnings: [warning] });
  });

  test.each<[unknown, string]>([
    ["db", 'must be an object of names and servers, as {db: {command: "npx", args: ["some-server"]}}'],
    [[1], 'must be an object of names and servers, as {db: {command: "npx", args: ["some-server"]}}'],
    [{ db: "x" }, 'must have an object with a command in "db"'],
    [{ db: {} }, 'must have the command of a program in "db"'],
    [{ db: { command: " " } }, 'must have the command of a program in "db"'],
    [{ db: { command: "x", args: "y" } }, 'must have texts as args in "db"'],
    [{ db: { command: "x", args: [1] } }, 'must have texts as args in "db"'],
    [{ db: { command: "x", env: { A: 1 } } }, 'must have texts as env in "db"'],
    [{ "a__b": DB }, 'has a name that cannot be, "a__b": up to 40 letters, digits, "-" and single "_", the first a letter or digit'],
    [{ "a b": DB }, 'has a name that cannot be, "a b": up to 40 letters, digits, "-" and single "_", the first a letter or digit'],
    [[{ db: DB }, { db: DB }], 'names "db" twice'],
    [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`s${index}`, DB])), "names 21 servers, and may name 20"],
  ])("%j is an error", (written, error) => {
    expect(readMcpServers(written).errors).toEqual([error]);
  });
});
