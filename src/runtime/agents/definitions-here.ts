import { existsSync } from "node:fs";
import type { AgentDefinitions } from "../../core/agent-definition.ts";
import type { InlineAgents } from "../run-request.ts";
import { createAgentDefinitions } from "./agent-definitions.ts";
import { BUILT_IN_DEFINITIONS } from "./built-in-definitions.ts";
import { definitionFolders } from "./definition-folders.ts";
import { loadDefinitionLoader } from "./registry.ts";

/** The definitions that hold for a run. Loads what reads files only where there is one to read. */
export async function definitionsHere(params: {
  readonly cwd: string;
  readonly config: string;
  readonly home: string;
  readonly inline?: InlineAgents | undefined;
}): Promise<AgentDefinitions> {
  const { user, project } = definitionFolders(params);
  if (params.inline === undefined && ![...user, ...project].some((folder) => existsSync(folder))) {
    return createAgentDefinitions(new Map(BUILT_IN_DEFINITIONS.map((definition) => [definition.name, definition])), []);
  }
  return (await loadDefinitionLoader()).loadAgentDefinitions(params);
}
