import type { AgentWork } from "./run-request.ts";

/** Of no use where no agent may be started. */
const AGENT_TOOLS: ReadonlySet<string> = new Set(["Agent", "SendMessage"]);

/** Whether the agents of a run have a tool at all. */
export function isToolOfRun(name: string, { subagents: { depthMax, countMax } }: Pick<AgentWork, "subagents">): boolean {
  return (depthMax > 0 && countMax > 0) || !AGENT_TOOLS.has(name);
}
