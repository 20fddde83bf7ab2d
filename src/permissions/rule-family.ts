import { isNamedBy } from "../core/mcp-tool-name.ts";
import type { PermissionRule, ToolAccess } from "../core/permission.ts";

/** The tool whose rules speak of commands. */
export const COMMAND_TOOL = "Bash";

/** The tools whose rules speak of paths. */
export const PATH_TOOLS: ReadonlySet<string> = new Set(["Read", "Write", "Edit", "Glob", "Grep"]);

/**
 * Whether a rule speaks of calls of a tool.
 *
 * What a deny or ask rule says of one tool holds for every tool that does the same: who may not read a file with Read
 * may not read it with Grep, and who may not Edit it may not Write it. An allow rule holds for the tool that it names;
 * only what Read may read, Glob and Grep may search.
 */
export function isRuleFor(rule: PermissionRule, tool: string, access: ToolAccess): boolean {
  if (isNamedBy(tool, rule.tool)) return true;
  if (rule.behavior === "allow") return rule.tool === "Read" && SEARCH_TOOLS.has(tool);
  return FAMILIES[access.kind].has(rule.tool);
}

const SEARCH_TOOLS: ReadonlySet<string> = new Set(["Glob", "Grep"]);

const FAMILIES: Readonly<Record<ToolAccess["kind"], ReadonlySet<string>>> = {
  none: new Set(),
  read: new Set(["Read"]),
  write: new Set(["Edit", "Write"]),
  foreign: new Set(),
  command: new Set([COMMAND_TOOL]),
};
