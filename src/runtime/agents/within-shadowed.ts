import type { AgentDefinition } from "../../core/agent-definition.ts";
import { stricterMode } from "../../core/stricter-mode.ts";

/**
 * A project's definition that takes the name of a user's or a built-in one, held within what that one may do: whoever
 * asks for a name knows what stands behind it, and a project that was cloned must not turn a reader into a writer.
 */
export function withinShadowed(definition: AgentDefinition, shadowed: AgentDefinition): AgentDefinition {
  const disallowedTools = [...new Set([...(definition.disallowedTools ?? []), ...(shadowed.disallowedTools ?? [])])];
  const mode = shadowed.permissionMode === undefined ? definition.permissionMode : stricterMode(shadowed.permissionMode, definition.permissionMode);
  return {
    ...definition,
    tools: toolsOfBoth(definition.tools, shadowed.tools),
    ...(disallowedTools.length === 0 ? {} : { disallowedTools }),
    ...(mode === undefined ? {} : { permissionMode: mode }),
    ...lowest("maxTurns", definition, shadowed),
    ...lowest("maxTokens", definition, shadowed),
    ...lowest("maxBudgetUsd", definition, shadowed),
    ...lowest("timeoutMs", definition, shadowed),
  };
}

function toolsOfBoth(tools: AgentDefinition["tools"], others: AgentDefinition["tools"]): AgentDefinition["tools"] {
  if (others === "all") return tools;
  return tools === "all" ? others : tools.filter((name) => others.includes(name));
}

function lowest(key: "maxTurns" | "maxTokens" | "maxBudgetUsd" | "timeoutMs", a: AgentDefinition, b: AgentDefinition): Partial<AgentDefinition> {
  const limits = [a[key], b[key]].filter((limit) => limit !== undefined);
  return limits.length === 0 ? {} : { [key]: Math.min(...limits) };
}
