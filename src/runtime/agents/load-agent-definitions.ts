import type { AgentDefinition, AgentDefinitions, DefinitionProblem, DefinitionSource } from "../../core/agent-definition.ts";
import type { InlineAgents } from "../run-request.ts";
import { TOOL_NAMES } from "../../tools/tool-names.ts";
import { BUILT_IN_DEFINITIONS } from "./built-in-definitions.ts";
import { createAgentDefinitions } from "./agent-definitions.ts";
import type { DefinedAgent } from "./define-agent.ts";
import { definitionFolders } from "./definition-folders.ts";
import { parseDefinitionFile } from "./parse-definition-file.ts";
import { parseInlineDefinitions } from "./parse-inline-definitions.ts";
import { readDefinitionFolder } from "./read-definition-folder.ts";
import { withinShadowed } from "./within-shadowed.ts";

/**
 * Reads the definitions that hold in a working directory: those of the flag go before the project's, these before the
 * user's, and the built-in ones come last. A name whose strongest definition has an error has none. Where there are no
 * folders, nothing but that is looked at. Never throws for what the files hold.
 *
 * @param params as of `definitionFolders`
 */
export function loadAgentDefinitions(params: {
  readonly cwd: string;
  readonly config: string;
  readonly home: string;
  readonly inline?: InlineAgents | undefined;
}): AgentDefinitions {
  const problems: DefinitionProblem[] = [];
  const byName = new Map<string, AgentDefinition | undefined>();
  for (const { source, agents } of [
    { source: "built-in", agents: BUILT_IN_DEFINITIONS.map((definition) => ({ name: definition.name, definition, problems: [] })) },
    { source: "user", agents: ofFolders("user", params, problems) },
    { source: "project", agents: ofFolders("project", params, problems) },
    { source: "flag", agents: params.inline === undefined ? [] : parseInlineDefinitions(params.inline, TOOL_NAMES) },
  ]) {
    for (const { name, definition, problems: found } of agents) {
      problems.push(...found);
      if (name === undefined) continue;
      const shadowed = byName.get(name);
      byName.set(name, definition === undefined || shadowed === undefined || source !== "project" ? definition : withinShadowed(definition, shadowed));
    }
  }
  return createAgentDefinitions(byName, problems);
}

function ofFolders(source: DefinitionSource & ("user" | "project"), params: Parameters<typeof loadAgentDefinitions>[0], problems: DefinitionProblem[]): DefinedAgent[] {
  const { cwd } = params;
  const found = new Map<string, DefinedAgent>();
  const nameless: DefinedAgent[] = [];
  for (const folder of definitionFolders(params)[source]) {
    const seen = new Map<string, string>();
    const texts = readDefinitionFolder(folder, source === "project" ? { within: cwd } : {});
    problems.push(...texts.problems);
    for (const { file, text } of texts.files) {
      const agent = parseDefinitionFile(text, { source, file, knownTools: TOOL_NAMES });
      const { name } = agent;
      const earlier = name === undefined ? undefined : seen.get(name);
      if (name === undefined) nameless.push(agent);
      else if (earlier !== undefined) {
        problems.push({ level: "error", file, line: agent.definition?.line ?? 1, name, message: `"${name}" is defined in "${earlier}" already; this one is ignored` });
      } else {
        seen.set(name, file);
        if (!found.has(name)) found.set(name, agent);
      }
    }
  }
  return [...found.values(), ...nameless];
}
