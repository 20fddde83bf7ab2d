import { describe, expect, test } from "bun:test";
import { createStructuredAnswer } from "../../src/core/structured-answer.ts";
import { PERMISSION_MODES } from "../../src/core/permission.ts";
import type { JsonObject } from "../../src/lib/json-schema/map-schemas.ts";
import { getAllTools } from "../../src/tools/registry.ts";
import { createSyntheticOutputTool } from "../../src/tools/synthetic-output.ts";
import { toolDefinitions } from "../../src/tools/tool-definitions.ts";
import { TOOL_NAMES } from "../../src/tools/tool-names.ts";
import { agentContext, callTool } from "../support/agent-context.ts";
import { taskId } from "../support/sample-task.ts";
import { NO_LAUNCHER } from "../support/no-launcher.ts";

function toolFor(schema: JsonObject) {
  const answer = createStructuredAnswer();
  const tool = createSyntheticOutputTool({ schema, answer, agentId: taskId("a00000000") });
  return { answer, tool, give: (input: unknown) => callTool(tool, input, agentContext("/")) };
}

test("an answer that fits is kept as it came", async () => {
  const { answer, give } = toolFor({ type: "object" });
  const text = '{"__proto__":{"a":1},"big":1e+300,"größe":"😀\\u0000","constructor":null}';
  expect(await give(JSON.parse(text))).toEqual({ content: "The answer fits the schema and is on record" });
  expect(answer.given()?.text).toBe(text);
  expect(answer.isSettled()).toBe(true);
});

test("an answer that is wrapped comes out unwrapped, also where it is null", async () => {
  const { answer, give } = toolFor({ type: ["array", "null"], items: { type: "integer" } });
  expect((await give({ result: [1, "2"] })).content).toContain("- /result/1: must be integer\n");
  expect((await give([1])).content).toContain("- /result: is missing");
  await give({ result: [1, 2] });
  expect(answer.given()).toEqual({ value: [1, 2], text: "[1,2]" });
  await give({ result: null });
  expect(answer.given()).toEqual({ value: null, text: "null" });
});

describe("an answer that does not fit", () => {
  test("comes back with its problems and what is left", async () => {
    const { give } = toolFor({ type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: false });
    expect(await give({ b: 1 })).toEqual({
      isError: true,
      content: "The answer does not fit the schema:\n- /a: is missing\n- /b: is not allowed here\nMend it and call SyntheticOutput again; tries left: 4",
    });
    expect((await give([])).content).toContain("- the whole answer: must be object\n");
  });

  test("has twenty problems at the most", async () => {
    const { give } = toolFor({ type: "object", properties: { a: { items: { type: "string" } } } });
    const { content } = await give({ a: Array.from({ length: 30 }, () => 1) });
    expect(content.match(/^- \/a\//gm)).toHaveLength(20);
    expect(content).toContain("\n- and 10 more\n");
  });

  test("may be mended five times and not more", async () => {
    const { answer, give } = toolFor({ type: "object", required: ["a"] });
    for (const left of [4, 3, 2, 1]) expect((await give({})).content).toContain(`tries left: ${left}`);
    expect(answer.isSettled()).toBe(false);
    expect((await give({})).content).toContain("There are no tries left");
    expect(await give({ a: 1 })).toEqual({ isError: true, content: "Not taken: there are no tries left" });
    expect([answer.isSettled(), answer.given(), answer.reminder()]).toEqual([true, undefined, undefined]);
    expect(answer.failure()).toContain("gave 5 answers");
  });
});

test.each([...PERMISSION_MODES])("is permitted in mode %s, and runs alone", (mode) => {
  const { tool } = toolFor({ type: "object" });
  const context = agentContext("/", { mode });
  expect(context.checkPermission(tool, { kind: "none" }).behavior).toBe("allow");
  expect([tool.isReadOnly({ kind: "none" }, context), tool.isConcurrencySafe({ kind: "none" }, context)]).toEqual([false, false]);
});

test("stands behind all other tools, which keep their bytes", () => {
  const { tool } = toolFor({ type: "object", title: "T" });
  const definitions = toolDefinitions([...getAllTools(NO_LAUNCHER), tool]);
  expect(JSON.stringify(definitions.slice(0, -1))).toBe(JSON.stringify(toolDefinitions(getAllTools(NO_LAUNCHER))));
  expect(definitions.at(-1)).toMatchObject({ name: "SyntheticOutput", input_schema: { type: "object", title: "T" } });
  expect([...TOOL_NAMES]).not.toContain("SyntheticOutput");
});
