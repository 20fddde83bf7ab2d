import type { CommandAccess } from "../../src/core/permission.ts";
import { commandAccess as accessOf } from "../../src/permissions/command-access.ts";

/** What a call of the Bash tool with this command would touch, as bash would take it. */
export async function commandAccess(command: string, home = "/home/somebody"): Promise<CommandAccess> {
  return await accessOf(command, { home, dialect: "bash" });
}
