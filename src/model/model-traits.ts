import { modelFamily } from "./model-family.ts";

/** What may stand in a request, and may be left out where a server does not know it. */
export type OptionalParameter = "cache_control" | "task_budget" | "thinking";

/**
 * Whether a model takes a parameter, as far as that is known in advance: by the list of supported models at
 * platform.claude.com/docs/en/build-with-claude/task-budgets (of 2026-10). Every other model, and every model of a
 * compatible server, is assumed to; where that was wrong, the refusal says so and the request is repaired.
 */
export function takesParameter(model: string, parameter: OptionalParameter): boolean {
  const id = modelFamily(model);
  const refused = Object.hasOwn(REFUSED_PARAMETERS, id) ? REFUSED_PARAMETERS[id] : undefined;
  return refused?.includes(parameter) !== true;
}

const REFUSED_PARAMETERS: Readonly<Record<string, readonly OptionalParameter[]>> = {
  "claude-opus-4-5": ["task_budget"],
  "claude-opus-4-6": ["task_budget"],
  "claude-sonnet-4-5": ["task_budget"],
  "claude-sonnet-4-6": ["task_budget"],
  "claude-sonnet-5": ["task_budget"],
  "claude-haiku-4-5": ["task_budget"],
};
