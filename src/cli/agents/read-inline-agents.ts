import { AppError } from "../../core/errors.ts";
import { readDefinition } from "../../runtime/agents/read-definition-folder.ts";
import type { InlineAgents } from "../../runtime/run-request.ts";

/**
 * The value of `--agents`: JSON where it begins with a brace, otherwise the path of a file of it. Throws an `AppError` of
 * reason `usage` for a file that cannot be read.
 */
export function readInlineAgents(value: string): InlineAgents {
  if (value.trimStart().startsWith("{")) return { text: value, origin: "--agents" };
  const read = readDefinition(value);
  if ("text" in read) return { text: read.text, origin: value };
  throw new AppError("usage", `Cannot read the agents "${value}": ${read.problem}; give a file of JSON, or the JSON itself`, { code: "unreadable_agents" });
}
