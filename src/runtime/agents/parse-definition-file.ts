import type { DefinitionProblem, DefinitionSource } from "../../core/agent-definition.ts";
import { FrontMatterError, parseFrontMatter, type FrontMatter } from "../../lib/front-matter.ts";
import { defineAgent, type DefinedAgent } from "./define-agent.ts";

/** Reads a definition in Markdown: its fields in YAML before it, the prompt as its text. Never throws for what it holds. */
export function parseDefinitionFile(
  text: string,
  { source, file, knownTools }: { readonly source: DefinitionSource; readonly file: string; readonly knownTools: readonly string[] },
): DefinedAgent {
  let matter: FrontMatter;
  try {
    matter = parseFrontMatter(text);
  } catch (error) {
    if (!(error instanceof FrontMatterError)) throw error;
    return { name: undefined, definition: undefined, problems: [{ level: "error", file, line: error.line, message: error.message }] };
  }
  const { values: fields, lineOf, body: prompt, bodyLine: promptLine, plainKeys } = matter;
  const defined = defineAgent({ fields, lineOf, prompt, promptLine, source, file }, knownTools);
  const doubts = plainKeys.map((key): DefinitionProblem => ({
    level: "warning",
    file,
    line: lineOf(key),
    ...(defined.name === undefined ? {} : { name: defined.name }),
    message: `the value of "${key}" is no YAML and is taken as it stands: put it in quotes`,
  }));
  return { ...defined, problems: [...defined.problems, ...doubts].toSorted((a, b) => a.line - b.line) };
}
