import { expect, test } from "bun:test";
import { inputJsonSchema } from "../../src/tools/input-json-schema.ts";
import { getAllTools } from "../../src/tools/registry.ts";
import { toolDefinitions } from "../../src/tools/tool-definitions.ts";
import { NO_LAUNCHER } from "../support/no-launcher.ts";

const TOOLS = getAllTools(NO_LAUNCHER);

test.each(TOOLS.map((tool) => [tool.name, tool] as const))("what models are told of %s is what its input is parsed with; else: bun build/input-schemas.ts", (_name, tool) => {
  const [told] = toolDefinitions([tool]);
  expect(JSON.stringify(told?.input_schema)).toBe(JSON.stringify(inputJsonSchema(tool)));
});
