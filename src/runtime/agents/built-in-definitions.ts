import explore from "../../agent/definitions/explore.md" with { type: "text" };
import generalPurpose from "../../agent/definitions/general-purpose.md" with { type: "text" };
import plan from "../../agent/definitions/plan.md" with { type: "text" };
import { parseDefinitionFile } from "./parse-definition-file.ts";
import type { DefinedAgent } from "./define-agent.ts";

/** The definitions that come with the program, the one for everything first. */
export function builtInDefinitions(knownTools: readonly string[]): DefinedAgent[] {
  return [generalPurpose, explore, plan].map((text) => parseDefinitionFile(text, { source: "built-in", file: "built-in", knownTools }));
}
