import { isRecord } from "../../lib/is-record.ts";
import { JsoncError, parseJsonc, type JsoncDocument } from "../../lib/jsonc.ts";
import type { InlineAgents } from "../run-request.ts";
import { defineAgent, type DefinedAgent } from "./define-agent.ts";

const DEFINITIONS_MAX = 200;

/** Reads definitions in JSON: an object of names and fields, the prompt among them. Never throws for what it holds. */
export function parseInlineDefinitions({ text, origin: file }: InlineAgents, knownTools: readonly string[]): DefinedAgent[] {
  const failed = (line: number, message: string): DefinedAgent[] => [{ name: undefined, definition: undefined, problems: [{ level: "error", file, line, message }] }];
  let document: JsoncDocument;
  try {
    document = parseJsonc(text);
  } catch (error) {
    if (!(error instanceof JsoncError)) throw error;
    return failed(error.position.line, error.message);
  }
  const { value, positionOf } = document;
  if (!isRecord(value)) return failed(1, 'the definitions are an object: {"NAME": {"description": "…", "prompt": "…"}}');
  const entries = Object.entries(value);
  if (entries.length > DEFINITIONS_MAX) return failed(1, `there are more than ${DEFINITIONS_MAX} definitions`);
  return entries.flatMap(([name, content]) => {
    if (!isRecord(content)) return failed(positionOf([name]).line, `"${name}" must be an object with description and prompt`);
    const { prompt, ...fields } = content;
    const isOther = fields["name"] !== undefined && fields["name"] !== name;
    if (isOther) return failed(positionOf([name, "name"]).line, `"name" must be "${name}", or left out`);
    return defineAgent(
      {
        fields: new Map<string, unknown>([...Object.entries(fields), ["name", name]]),
        lineOf: (key) => positionOf([name, key]).line,
        prompt,
        promptLine: positionOf([name, "prompt"]).line,
        source: "flag",
        file,
      },
      knownTools,
    );
  });
}
