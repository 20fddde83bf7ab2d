import { createAgentDefinitions } from "../../src/runtime/agents/agent-definitions.ts";
import { BUILT_IN_DEFINITIONS } from "../../src/runtime/agents/built-in-definitions.ts";
import type { AgentLauncher } from "../../src/tasks/local_agent/index.ts";

/** What tools are made with where no agent is started. */
export const NO_LAUNCHER: AgentLauncher = {
  definitions: createAgentDefinitions(new Map(BUILT_IN_DEFINITIONS.map((definition) => [definition.name, definition])), []),
  isForkEnabled: false,
  isBackgroundEnabled: true,
  start: () => Promise.reject(new Error("No agent can be started here")),
  send: () => Promise.reject(new Error("No agent can be reached here")),
};
