import { taskRows, type AgentRow } from "./agent-roles.ts";
import type { AgentUser } from "./spawn-agent.ts";
import { waitFor } from "./wait-for.ts";

/** The task of a name, as soon as it is on record. */
export async function taskNamed(user: AgentUser, name: string): Promise<AgentRow> {
  return await waitFor(async () => (await taskRows(user)).find((task) => task.name === name), { what: `a task named ${name}` });
}
