import type { DefinitionProblem } from "../../core/agent-definition.ts";

/** A problem as compilers write theirs, so that an editor finds the place. */
export function problemLine({ file, line, level, message }: DefinitionProblem): string {
  return `${file}:${line}: ${level}: ${message}`;
}
