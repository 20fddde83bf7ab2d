import { expect, test } from "bun:test";
import { getAllTools } from "../../src/tools/registry.ts";
import { TOOL_NAMES } from "../../src/tools/tool-names.ts";
import { NO_LAUNCHER } from "../support/no-launcher.ts";

test("the names that rules may use are those of the tools, in their order", () => {
  expect(getAllTools(NO_LAUNCHER).map((tool) => tool.name)).toEqual([...TOOL_NAMES]);
});
