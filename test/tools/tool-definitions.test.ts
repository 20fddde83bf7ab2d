import { expect, test } from "bun:test";
import { getAllTools } from "../../src/tools/registry.ts";
import { toolDefinitions } from "../../src/tools/tool-definitions.ts";
import { TOOL_NAMES } from "../../src/tools/tool-names.ts";
import { NO_LAUNCHER } from "../support/no-launcher.ts";

test("tools come in their fixed order", () => {
  expect(getAllTools(NO_LAUNCHER).map((tool) => tool.name)).toEqual([...TOOL_NAMES]);
});

test("every schema is of an object, and of nothing else", () => {
  for (const { name, input_schema: schema } of toolDefinitions(getAllTools(NO_LAUNCHER))) {
    expect({ name, type: schema["type"], dialect: schema["$schema"] }).toEqual({ name, type: "object", dialect: undefined });
  }
});

test("the bytes are the same every time", () => {
  expect(JSON.stringify(toolDefinitions(getAllTools(NO_LAUNCHER)))).toBe(JSON.stringify(toolDefinitions(getAllTools(NO_LAUNCHER))));
});

test("tools stay small on the wire", () => {
  const sizes = toolDefinitions(getAllTools(NO_LAUNCHER)).map((tool) => [tool.name, Buffer.byteLength(tool.description)] as const);
  expect(sizes.filter(([name, size]) => size > (["Bash", "Agent"].includes(name) ? 1_500 : 1_000))).toEqual([]);
  expect(Buffer.byteLength(JSON.stringify(toolDefinitions(getAllTools(NO_LAUNCHER))))).toBeLessThan(10_000);
});
