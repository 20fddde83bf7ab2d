import type { AgentDefinition, AgentDefinitions, DefinitionProblem } from "../../core/agent-definition.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import { problemLine } from "./problem-line.ts";

/** @param byName undefined where the definition of a name cannot be used; the built-in names first */
export function createAgentDefinitions(
  byName: ReadonlyMap<string, AgentDefinition | undefined>,
  problems: readonly DefinitionProblem[],
): AgentDefinitions {
  const usable = [...byName.values()].filter((definition) => definition !== undefined);
  const others = usable.filter((definition) => !isBuiltIn(definition)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const all = [...usable.filter(isBuiltIn), ...others];
  return {
    find: (name) => byName.get(name),
    list: () => all,
    problems,
    explainMissing(name) {
      const errors = problems.filter((problem) => problem.name === name && problem.level === "error");
      if (byName.has(name) && errors.length > 0) return `Cannot use agent "${name}": ${errors.map(problemLine).join("; ")}`;
      const names = all.map((definition) => definition.name);
      const nearest = nearestName(name, names);
      return `Unknown agent "${name}": ${nearest === undefined ? "" : `did you mean "${nearest}"? `}The agents are ${names.join(", ")}`;
    },
  };
}

function isBuiltIn({ source }: AgentDefinition): boolean {
  return source === "built-in";
}
