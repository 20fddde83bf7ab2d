import { describe, expect, test } from "bun:test";
import { expandVariables } from "../../src/mcp/expand-variables.ts";
import { resultText } from "../../src/mcp/result-text.ts";
import { serverTool } from "../../src/mcp/server-tool.ts";

const never = () => Promise.reject(new Error("not called"));

describe("a tool of a server", () => {
  test("has a name that the service takes, or is none", () => {
    const name = (tool: string) => serverTool("db", { name: tool, inputSchema: {} }, never)?.name;
    expect([name("query"), name("a b/c.d"), name("größe"), name("x".repeat(119)), name("x".repeat(120))]).toEqual(["mcp__db__query", "mcp__db__a_b_c_d", "mcp__db__gr__e", `mcp__db__${"x".repeat(119)}`, undefined]);
  });

  test("has a description of bounded length and a schema, whatever its server says", () => {
    const tool = serverTool("db", { name: "q", description: "d".repeat(9_000), inputSchema: "none" }, never);
    expect([tool?.description.length, tool?.inputJsonSchema]).toEqual([4_000, { type: "object" }]);
  });

  test("proves nothing by what it says of itself", async () => {
    const tool = serverTool("db", { name: "q", inputSchema: {}, annotations: { readOnlyHint: true } }, never);
    const access = await tool?.access({ a: 1 }, undefined as never);
    expect(access).toEqual({ kind: "foreign", input: '{"a":1}', claimsToRead: true });
    expect(tool?.isReadOnly(access ?? { kind: "none" }, undefined as never)).toBe(false);
  });
});

describe("what a server answers", () => {
  test.each<[unknown, string]>([
    [{ content: [{ type: "text", text: "a" }, { type: "text", text: "b" }] }, "a\nb"],
    [{ content: [] }, "(no output)"],
    [{ content: [], structuredContent: { n: 1 } }, '{"n":1}'],
    [{ content: [{ type: "text", text: "a" }], structuredContent: { n: 1 } }, "a"],
    [{ content: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] }, "[audio of type audio/wav, 3 bytes: not shown]"],
    [{ content: [{ type: "resource", resource: { uri: "u", blob: "AAAAAAAA" } }] }, "[resource, 6 bytes: not shown]"],
    [{ content: [{ type: "hologram" }, null, 1] }, "[hologram: not shown]"],
    [{ content: "text" }, "(no output)"],
    [{}, "(no output)"],
    [{ content: [{ type: "text", text: "\ud800" }] }, "\ufffd"],
  ])("%j is %j for a model", (result, expected) => {
    expect(resultText(result as never)).toBe(expected);
  });
});

test("variables stand for their values, or for what is given instead", () => {
  const env = { A: "1", EMPTY: "" };
  expect(expandVariables("${A}-${B:-two}-${EMPTY:-three}-$A-${}-${1}", env)).toBe("1-two-three-$A-${}-${1}");
  expect(() => expandVariables("${B}", env)).toThrow("the variable B is not set");
});
