import type { ToolAccess } from "../../src/core/permission.ts";
import { analyzeCommand } from "../../src/permissions/shell/analyze-command.ts";

/** What a call of the Bash tool with this command would touch, as bash would take it. */
export async function commandAccess(command: string, home = "/home/somebody"): Promise<Extract<ToolAccess, { kind: "command" }>> {
  return { kind: "command", command, analysis: await analyzeCommand(command, { home, dialect: "bash" }) };
}
