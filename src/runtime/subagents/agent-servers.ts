import type { AgentContext } from "../../core/agent.ts";
import type { AgentDefinition } from "../../core/agent-definition.ts";
import type { McpConnections } from "../../core/mcp-server.ts";
import { isNamedBy } from "../../core/mcp-tool-name.ts";
import { loadMcpServers } from "../../mcp/registry.ts";
import type { AgentWorld } from "./agent-world.ts";

const NONE: McpConnections = { tools: [], close: () => Promise.resolve() };

/**
 * Starts the MCP servers of an agent's definition, which are its own: whoever starts it does not get their tools, whoever
 * it starts does. Rejects as `connectServers`.
 *
 * @param params.signal of the agent
 */
export async function openAgentServers(
  definition: AgentDefinition | undefined,
  { context: { cwd, host }, world, signal }: { readonly context: Pick<AgentContext, "cwd" | "host">; readonly world: Pick<AgentWorld, "env" | "run">; readonly signal: AbortSignal },
): Promise<McpConnections> {
  if (definition?.mcpServers === undefined) return NONE;
  const { connectServers } = await loadMcpServers();
  const { childEnv, supervision } = host;
  const { tools, close } = await connectServers(definition.mcpServers, { cwd, childEnv, env: world.env, supervision, warn: world.run.warn, signal });
  const { disallowedTools = [] } = definition;
  return { tools: tools.filter(({ name }) => !disallowedTools.some((pattern) => isNamedBy(name, pattern))), close };
}
