import type { AgentDefinition } from "../../core/agent-definition.ts";
import type { AgentScene, Tool } from "../../core/agent.ts";
import type { BudgetLimits } from "../../core/token-budget.ts";
import { toolsForAgent } from "../../core/tools-for-agent.ts";
import type { Thinking } from "../../core/thinking.ts";
import { stricterMode } from "../../core/stricter-mode.ts";
import type { PermissionMode } from "../../core/permission.ts";

/** What a subagent is made of, its definition and its parent put together. */
export interface SubagentSpec {
  readonly type: string;
  readonly tools: readonly Tool[];
  /** Undefined for that of the run. */
  readonly model: string | undefined;
  readonly permissionMode: PermissionMode;
  readonly turnsMax: number | undefined;
  readonly timeoutMs: number | undefined;
  /** Within that of whoever starts it; undefined for nothing but that. */
  readonly budget: BudgetLimits | undefined;
  /** What its definition lets through at the most. */
  readonly modeMax: PermissionMode | undefined;
  /** Undefined for as the model does by itself. */
  readonly thinking: Thinking | undefined;
}

/** A fork is its parent in everything; every other agent is what its definition says, and never more than its parent. */
export function subagentSpec(params: {
  readonly definition: AgentDefinition | "fork";
  readonly scene: AgentScene;
  readonly allTools: readonly Tool[];
  readonly parentMode: PermissionMode;
  readonly parentModel: string;
  readonly depth: number;
  readonly depthMax: number;
  readonly isBackgrounded: boolean;
  /** What the call asked for. */
  readonly model: string | undefined;
  readonly turnsMax: number | undefined;
}): SubagentSpec {
  const { definition, scene, allTools, parentMode, parentModel, depth, depthMax, isBackgrounded, model, turnsMax } = params;
  if (definition === "fork") return { type: "fork", tools: scene.tools, model: parentModel, permissionMode: parentMode, turnsMax, timeoutMs: undefined, budget: undefined, modeMax: undefined, thinking: scene.thinking };
  const names = new Set(toolsForAgent(definition, { toolNames: allTools.map(({ name }) => name), depth, depthMax, isBackground: isBackgrounded }));
  const chosen = model ?? definition.model;
  return {
    type: definition.name,
    tools: allTools.filter(({ name }) => names.has(name)),
    model: chosen === "inherit" ? undefined : chosen,
    permissionMode: stricterMode(parentMode, definition.permissionMode),
    turnsMax: lesser(turnsMax, definition.maxTurns),
    timeoutMs: definition.timeoutMs,
    budget: budgetOf(definition),
    modeMax: definition.permissionMode,
    thinking: thinkingOf(definition, scene),
  };
}

/** The result of an agent is worth its tokens where whoever wrote its definition says so. */
function thinkingOf({ thinking = "off" }: AgentDefinition, scene: AgentScene): Thinking | undefined {
  return thinking === "inherit" ? scene.thinking : thinking;
}

function lesser(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
}

function budgetOf({ maxBudgetUsd: usd, maxTokens: tokens }: AgentDefinition): BudgetLimits | undefined {
  if (usd === undefined && tokens === undefined) return undefined;
  return { ...(usd === undefined ? {} : { usd }), ...(tokens === undefined ? {} : { tokens }) };
}
