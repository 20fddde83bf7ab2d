import { Client } from "@modelcontextprotocol/client";
import { BUILD_INFO } from "../core/build-info.ts";
import { AppError, errorMessage } from "../core/errors.ts";
import type { McpConnections, McpServer, McpWorld } from "../core/mcp-server.ts";
import type { Tool } from "../core/agent.ts";
import { isRecord } from "../lib/is-record.ts";
import { createProcessTransport } from "./process-transport.ts";
import { startServer, type ServerProcess } from "./server-process.ts";
import { serverTool, type CallServer, type ListedTool } from "./server-tool.ts";

/** Some are fetched before they start. */
const START_TIMEOUT_MS = 60_000;
const CALL_TIMEOUT_MS = 600_000;
const ENDING_WAIT_MS = 200;
const TOOLS_MAX = 200;

/**
 * Starts a server and asks it for its tools, which stay the same from then on.
 *
 * Rejects with an `AppError` where it cannot be started, does not answer within a minute, or the signal is aborted; then
 * nothing of it runs any more.
 */
export async function connectServer(name: string, server: McpServer, world: McpWorld): Promise<McpConnections> {
  const running = startServer(server, world);
  const client = new Client({ name: "agent", version: BUILD_INFO.version });
  try {
    const tools = await listTools(client, running, world.signal);
    const call = callerOf(client, { name, running });
    return { tools: ourTools(name, tools, { call, warn: world.warn }), close: () => running.end() };
  } catch (error) {
    await running.end();
    throw error;
  }
}

async function listTools(client: Client, running: ServerProcess, signal: AbortSignal): Promise<readonly ListedTool[]> {
  const options = { signal, timeout: START_TIMEOUT_MS };
  try {
    await client.connect(createProcessTransport(running, isMessage), options);
    if (client.getServerCapabilities()?.tools === undefined) return [];
    return (await client.listTools(undefined, options)).tools;
  } catch (error) {
    throw new AppError("failed", await failureOf(running, error), { code: "server_failed", cause: error });
  }
}

/** What is heard of a server that has just gone comes a moment later, and says more than that it is gone. */
async function failureOf(running: ServerProcess, error: unknown): Promise<string> {
  return await Promise.race([running.ended, Bun.sleep(ENDING_WAIT_MS).then(() => errorMessage(error))]);
}

function isMessage(value: unknown): value is Parameters<NonNullable<Parameters<Client["connect"]>[0]["onmessage"]>>[0] {
  return isRecord(value) && value["jsonrpc"] === "2.0";
}

function callerOf(client: Client, { name, running }: { readonly name: string; readonly running: ServerProcess }): CallServer {
  return async (tool, input, signal) => {
    try {
      return await client.callTool({ name: tool, arguments: input }, { signal, timeout: CALL_TIMEOUT_MS });
    } catch (error) {
      if (signal.aborted) throw error;
      throw new AppError("failed", `MCP server "${name}" gave no answer: ${await failureOf(running, error)}`, { code: "mcp_failed", cause: error });
    }
  };
}

function ourTools(server: string, listed: readonly ListedTool[], { call, warn }: { readonly call: CallServer; readonly warn: (text: string) => void }): readonly Tool[] {
  const tools = new Map<string, Tool>();
  for (const each of listed.slice(0, TOOLS_MAX)) {
    const tool = serverTool(server, each, call);
    if (tool === undefined || tools.has(tool.name)) warn(`The tool "${each.name.slice(0, 100)}" of MCP server "${server}" is left out: it has no name of its own that a model could call`);
    else tools.set(tool.name, tool);
  }
  if (listed.length > TOOLS_MAX) warn(`MCP server "${server}" has ${listed.length} tools: the first ${TOOLS_MAX} are used`);
  return [...tools.values()];
}
