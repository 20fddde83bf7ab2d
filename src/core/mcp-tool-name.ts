/** What every tool of an MCP server is called: `mcp__server__tool`. */
const PREFIX = "mcp__";

export function isMcpTool(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** Letters, digits, "_" and "-" are what the service takes for names. Undefined for one that would be too long. */
export function mcpToolName(server: string, tool: string): string | undefined {
  const name = `${PREFIX}${server}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  return name.length <= 128 ? name : undefined;
}

/** Whether a tool is meant by a name, or by `mcp__server` or `mcp__server__*`, which stand for all tools of the server. */
export function isNamedBy(name: string, pattern: string): boolean {
  return name === pattern || (isMcpTool(pattern) && name.startsWith(`${pattern.replace(/(__)?\*?$/, "")}__`));
}
