import { AppError, errorMessage } from "../core/errors.ts";
import type { McpConnections, McpServers, McpWorld } from "../core/mcp-server.ts";
import { connectServer } from "./connect-server.ts";

/**
 * Starts servers side by side. Their tools come in the order in which the servers are named.
 *
 * Rejects with an `AppError` of code `mcp_server` where one cannot be had; then none runs any more: who names a server
 * needs it.
 */
export async function connectServers(servers: McpServers, world: McpWorld): Promise<McpConnections> {
  const names = Object.entries(servers);
  const settled = await Promise.allSettled(names.map(async ([name, server]) => await connectServer(name, server, world)));
  const connections = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const close = async () => {
    await Promise.all(connections.map((connection) => connection.close()));
  };
  const failed = settled.findIndex(({ status }) => status === "rejected");
  const failure = settled[failed];
  if (failure?.status === "rejected") {
    await close();
    throw new AppError("failed", `Cannot use MCP server "${names[failed]?.[0] ?? ""}": ${errorMessage(failure.reason)}`, { code: "mcp_server", cause: failure.reason });
  }
  return { tools: connections.flatMap(({ tools }) => tools), close };
}
