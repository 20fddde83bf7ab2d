import { describe, expect, test } from "bun:test";
import type { AgentDefinition } from "../../../src/core/agent-definition.ts";
import { PERMISSION_MODES } from "../../../src/core/permission.ts";
import { permissionLeniency } from "../../../src/core/permission-leniency.ts";
import { subagentSpec } from "../../../src/runtime/subagents/subagent-spec.ts";
import { testTool } from "../../support/scripted-query.ts";

const TOOLS = ["Bash", "Read", "Agent", "SendMessage", "mcp__x__y"].map((name) => testTool(name, () => ""));
const DEFINITION: AgentDefinition = { name: "one", description: "One", prompt: "Be one.", tools: "all", source: "project" };

function spec(params: Partial<Parameters<typeof subagentSpec>[0]> = {}) {
  return subagentSpec({
    definition: DEFINITION,
    scene: { system: ["s"], thinking: "low", tools: TOOLS.slice(0, 2), messages: [] },
    allTools: TOOLS,
    parentMode: "default",
    parentModel: "parents-model",
    depth: 1,
    depthMax: 3,
    isBackgrounded: false,
    model: undefined,
    turnsMax: undefined,
    ...params,
  });
}

describe("what a subagent is made of", () => {
  test("a mode is never more than its parent's, for all pairs", () => {
    for (const parentMode of PERMISSION_MODES) {
      for (const permissionMode of PERMISSION_MODES) {
        const mode = spec({ parentMode, definition: { ...DEFINITION, permissionMode } }).permissionMode;
        expect(permissionLeniency(mode)).toBe(Math.min(permissionLeniency(parentMode), permissionLeniency(permissionMode)));
      }
    }
  });

  test("the call's model goes before the definition's, and without one it is that of the run", () => {
    const definition = { ...DEFINITION, model: "definitions-model" };
    expect([spec({ definition, model: "calls-model" }).model, spec({ definition }).model, spec().model, spec({ definition: { ...DEFINITION, model: "inherit" } }).model]).toEqual([
      "calls-model",
      "definitions-model",
      undefined,
      undefined,
    ]);
  });

  test("tools are those of the definition in the order of the run; the one that starts agents goes at the limit of depth", () => {
    const names = (params: Parameters<typeof spec>[0]) => spec(params).tools.map(({ name }) => name);
    expect(names({ definition: { ...DEFINITION, tools: ["SendMessage", "Bash"] } })).toEqual(["Bash", "SendMessage", "mcp__x__y"]);
    expect(names({ depth: 3 })).toEqual(["Bash", "Read", "SendMessage", "mcp__x__y"]);
  });

  test("its limits are those of the definition", () => {
    expect(spec({ definition: { ...DEFINITION, maxTurns: 5, timeoutMs: 6, maxBudgetUsd: 0.5, maxTokens: 7 } })).toMatchObject({ turnsMax: 5, timeoutMs: 6, budget: { usd: 0.5, tokens: 7 } });
    expect([spec({ turnsMax: 3, definition: { ...DEFINITION, maxTurns: 5 } }).turnsMax, spec({ turnsMax: 9, definition: { ...DEFINITION, maxTurns: 5 } }).turnsMax, spec({ turnsMax: 2 }).turnsMax]).toEqual([3, 5, 2]);
    expect(spec()).toMatchObject({ turnsMax: undefined, timeoutMs: undefined, budget: undefined });
  });

  test("a fork has its parent's tools, model and mode", () => {
    expect(spec({ definition: "fork", model: "calls-model", parentMode: "acceptEdits" })).toEqual({
      type: "fork",
      tools: TOOLS.slice(0, 2),
      model: "parents-model",
      permissionMode: "acceptEdits",
      turnsMax: undefined,
      timeoutMs: undefined,
      budget: undefined,
      modeMax: undefined,
      thinking: "low",
    });
  });
});
