import { homedir } from "node:os";
import { AppError } from "../core/errors.ts";
import { isMcpTool } from "../core/mcp-tool-name.ts";
import type { PermissionContext, ToolAccess, Verdict } from "../core/permission.ts";
import { nearestName } from "../lib/nearest-name.ts";
import { commandAccess } from "../permissions/command-access.ts";
import { decidePermission } from "../permissions/decide.ts";
import { COMMAND_TOOL, PATH_TOOLS } from "../permissions/rule-family.ts";
import { isSearchPathFixed } from "../permissions/search-path.ts";
import { TOOL_NAMES } from "../tools/tool-names.ts";

/** What a run would be allowed to do, and where. */
export interface PermissionPolicy {
  readonly context: PermissionContext;
  /** Absolute, real path. */
  readonly cwd: string;
  /** Absolute paths that no mode makes free to write. */
  readonly protectedPaths: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A call as people write it: `Bash(npm test)`, `Write(src/a.ts)`, `TodoWrite`. */
export interface WrittenCall {
  readonly tool: string;
  /** The command or the path. */
  readonly content: string;
}

/** Throws an `AppError` of reason `usage` for a text that is no call of a known tool. */
export function parseCall(text: string): WrittenCall {
  const [, tool, content = ""] = /^([A-Za-z][\w-]*)(?:\((.*)\))?$/s.exec(text.trim()) ?? [];
  if (tool === undefined) throw new AppError("usage", `Cannot read the call "${text}": write it as Tool(what), as in "Bash(npm test)" or "Write(src/a.ts)"`, { code: "bad_value" });
  if (!isMcpTool(tool) && !TOOL_NAMES.some((name) => name === tool)) {
    const nearest = nearestName(tool, TOOL_NAMES);
    throw new AppError("usage", `There is no tool "${tool}"${nearest === undefined ? "" : `; did you mean "${nearest}"?`} The tools are ${TOOL_NAMES.join(", ")}`, { code: "bad_value" });
  }
  if ((tool === COMMAND_TOOL || PATH_TOOLS.has(tool)) && content.trim() === "") {
    throw new AppError("usage", `The call "${text}" says not what it is about: put a ${tool === COMMAND_TOOL ? "command" : "path"} into the parentheses`, { code: "bad_value" });
  }
  return { tool, content };
}

/** What the policy comes to for a call. */
export async function decideCall(call: WrittenCall, policy: PermissionPolicy): Promise<Verdict> {
  const access = await accessOf(call, policy);
  return decidePermission({
    tool: call.tool,
    access,
    isReadOnly: access.kind === "read" || access.kind === "none",
    context: policy.context,
    cwd: policy.cwd,
    protectedPaths: policy.protectedPaths,
    isSearchPathFixed: isSearchPathFixed(policy.env["PATH"]),
  });
}

const WRITING_TOOLS: ReadonlySet<string> = new Set(["Write", "Edit"]);

async function accessOf({ tool, content }: WrittenCall, { env }: PermissionPolicy): Promise<ToolAccess> {
  if (tool === COMMAND_TOOL) return await commandAccess(content, { home: env["HOME"] ?? homedir(), dialect: "bash" });
  if (isMcpTool(tool)) return { kind: "foreign", input: content, claimsToRead: false };
  if (!PATH_TOOLS.has(tool)) return { kind: "none" };
  return { kind: WRITING_TOOLS.has(tool) ? "write" : "read", path: content };
}
