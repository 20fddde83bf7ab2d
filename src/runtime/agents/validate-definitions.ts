import { basename } from "node:path";
import type { AgentDefinition, DefinitionProblem } from "../../core/agent-definition.ts";
import { TOOL_NAMES } from "../../tools/tool-names.ts";
import { parseDefinitionFile } from "./parse-definition-file.ts";
import { parseInlineDefinitions } from "./parse-inline-definitions.ts";
import { readDefinition, readDefinitionFolder, type DefinitionTexts } from "./read-definition-folder.ts";

/**
 * Checks one file, or every file of a folder, as though it were the user's: in Markdown, or in JSON as `--agents` takes
 * it. Never throws.
 */
export function validateDefinitions(
  path: string,
  { isFolder }: { readonly isFolder: boolean },
): { readonly definitions: readonly AgentDefinition[]; readonly problems: readonly DefinitionProblem[] } {
  const { files, problems } = isFolder ? readDefinitionFolder(path) : readOne(path);
  const agents = files.flatMap(({ file, text }) =>
    file.endsWith(".json") || file.endsWith(".jsonc")
      ? parseInlineDefinitions({ text, origin: file }, TOOL_NAMES)
      : [parseDefinitionFile(text, { source: "user", file, knownTools: TOOL_NAMES })],
  );
  return {
    definitions: agents.flatMap(({ definition }) => definition ?? []),
    problems: [...problems, ...agents.flatMap((agent) => agent.problems), ...repeated(agents)],
  };
}

function readOne(file: string): DefinitionTexts {
  const read = readDefinition(file);
  if ("text" in read) return { files: [{ file, text: read.text }], problems: [] };
  return { files: [], problems: [{ level: "error", file, line: 1, message: read.problem }] };
}

function repeated(agents: readonly { readonly definition: AgentDefinition | undefined }[]): DefinitionProblem[] {
  const first = new Map<string, string>();
  return agents.flatMap(({ definition }) => {
    if (definition === undefined) return [];
    const { name, file = "", line = 1 } = definition;
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, file);
    return earlier === undefined ? [] : [{ level: "error" as const, file, line, name, message: `"${name}" is defined in "${basename(earlier)}" already` }];
  });
}
