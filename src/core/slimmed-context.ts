import type { AgentDefinition } from "./agent-definition.ts";

/** The switch that gives every agent the whole context again, whatever its definition says: 0 or another word for no. */
const SWITCH = "AGENT_SLIM_SUBAGENT_CONTEXT";

/** Whether an agent is started without the project's instructions and the state of its repository. */
export function hasSlimmedContext(
  { omitProjectInstructions }: Pick<AgentDefinition, "omitProjectInstructions">,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  return omitProjectInstructions === true && !["0", "false", "no", "off"].includes((env[SWITCH] ?? "").toLowerCase());
}
