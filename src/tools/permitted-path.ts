import { isAbsolute } from "node:path";
import type { AgentContext, Tool } from "../core/agent.ts";
import { AppError } from "../core/errors.ts";
import type { ToolAccess } from "../core/permission.ts";
import { resolveRealPath } from "../platform/resolve-real-path.ts";

/** The path that an input names, absolute but otherwise untouched: rules look at it as it was named. */
export function namedPath(path: string, context: AgentContext): string {
  return isAbsolute(path) ? path : `${context.cwd}/${path}`;
}

/**
 * The real path of what a call touches, decided upon once more. A reply's calls are all decided before the first of them
 * runs, so an earlier one may have put a link where a later one writes.
 */
export async function permittedPath<Input>(
  tool: Tool<Input>,
  input: Input,
  context: AgentContext,
): Promise<string> {
  const access = await tool.access(input, context);
  if (access.kind !== "read" && access.kind !== "write") throw new AppError("internal", `${tool.name} touches no path`);
  const path = resolveRealPath(access.path);
  const verdict = context.checkPermission(tool, { ...access, path });
  if (verdict.behavior !== "allow") throw new AppError("permission_denied", `Permission denied: ${verdict.reason}`);
  return path;
}

/** Whether results must not show a file, because a rule keeps the agent from reading it. */
export function isHidden(path: string, params: { readonly readTool: Tool; readonly context: AgentContext }): boolean {
  const access: ToolAccess = { kind: "read", path };
  const verdict = params.context.checkPermission(params.readTool, access);
  // That no rule allows it does not count: the search of the directory was permitted.
  return verdict.behavior !== "allow" && (verdict.rule !== undefined || verdict.layer === "built-in");
}
