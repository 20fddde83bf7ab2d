import { expect, test } from "bun:test";
import { hasSlimmedContext } from "../../src/core/slimmed-context.ts";
import { stricterMode } from "../../src/core/stricter-mode.ts";

test.each([
  ["default", undefined, "default"],
  ["default", "plan", "plan"],
  ["plan", "default", "plan"],
  ["default", "bypassPermissions", "default"],
  ["bypassPermissions", "acceptEdits", "acceptEdits"],
  ["default", "dontAsk", "dontAsk"],
  ["dontAsk", "default", "dontAsk"],
  ["acceptEdits", "dontAsk", "dontAsk"],
] as const)("of %s and %s the stricter one is %s", (mode, other, stricter) => {
  expect(stricterMode(mode, other)).toBe(stricter);
});

test.each([
  [{ omitProjectInstructions: true }, {}, true],
  [{ omitProjectInstructions: true }, { AGENT_SLIM_SUBAGENT_CONTEXT: "" }, true],
  [{ omitProjectInstructions: true }, { AGENT_SLIM_SUBAGENT_CONTEXT: "1" }, true],
  [{ omitProjectInstructions: true }, { AGENT_SLIM_SUBAGENT_CONTEXT: "0" }, false],
  [{ omitProjectInstructions: true }, { AGENT_SLIM_SUBAGENT_CONTEXT: "False" }, false],
  [{ omitProjectInstructions: false }, {}, false],
  [{}, {}, false],
])("the context of %j is slimmed in %j: %p", (definition, env, isSlimmed) => {
  expect(hasSlimmedContext(definition, env)).toBe(isSlimmed);
});
