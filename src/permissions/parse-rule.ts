import { AppError } from "../core/errors.ts";
import type { PermissionBehavior, PermissionLayer, PermissionRule } from "../core/permission.ts";
import { isMcpTool } from "../core/mcp-tool-name.ts";
import { nearestName } from "../lib/nearest-name.ts";
import { parseCommandPattern } from "./command-pattern.ts";
import { problemOfPathSpec } from "./match-path.ts";
import { plainWords } from "./shell/plain-words.ts";
import { COMMAND_TOOL, PATH_TOOLS } from "./rule-family.ts";

/**
 * Reads one rule: `Tool` or `Tool(spec)`; `mcp__server` and `mcp__server__*` cover all tools of a server. Throws an `AppError` of reason `usage` for a rule that is malformed, names no
 * known tool, or could never match: a rule without effect is a hole where somebody counts on it.
 */
export function parsePermissionRule(
  text: string,
  params: { readonly behavior: PermissionBehavior; readonly layer: PermissionLayer; readonly knownTools: readonly string[] },
): PermissionRule {
  const match = /^([A-Za-z][\w-]*\*?)(?:\((.*)\))?$/s.exec(text.trim());
  const [, tool, spec] = match ?? [];
  if (tool === undefined) throw invalid(text, params, `it must be Tool or Tool(what), as in "Bash(npm test:*)" or "Edit(src/**)"`);
  const isKnown = isMcpTool(tool) ? /^mcp__[A-Za-z0-9-]/.test(tool) : params.knownTools.includes(tool);
  if (!isKnown) throw invalid(text, params, unknownTool(tool, params.knownTools));
  const { behavior, layer } = params;
  if (spec === undefined || spec.trim() === "*") return { behavior, tool, layer };
  const problem = problemOfSpec(tool, spec, behavior);
  if (problem !== undefined) throw invalid(text, params, problem);
  return { behavior, tool, spec: spec.trim(), layer };
}

function problemOfSpec(tool: string, spec: string, behavior: PermissionBehavior): string | undefined {
  if (spec.trim() === "") return `the parentheses are empty; "${tool}" alone covers every call`;
  if (tool === COMMAND_TOOL) return problemOfCommand(spec, behavior);
  if (PATH_TOOLS.has(tool)) return problemOfPathSpec(spec);
  return `"${tool}" takes no parentheses; "${tool}" alone covers every call`;
}

function problemOfCommand(spec: string, behavior: PermissionBehavior): string | undefined {
  const { words } = parseCommandPattern(spec);
  if (words.length === 0) return undefined;
  if (words.some((word) => word.includes("*"))) return `"*" may stand at the end only, as in "Bash(npm run test:*)"`;
  if (behavior === "allow" && plainWords(words.join(" ")) === undefined) {
    return "an allow rule covers plain commands only: words without quotes, variables, globs, redirections or operators";
  }
  return undefined;
}

function unknownTool(tool: string, knownTools: readonly string[]): string {
  const nearest = nearestName(tool, knownTools);
  return `there is no tool "${tool}"${nearest === undefined ? "" : `, did you mean "${nearest}"?`}; the tools are ${knownTools.join(", ")}`;
}

function invalid(text: string, { behavior }: { readonly behavior: PermissionBehavior }, problem: string): AppError {
  return new AppError("usage", `Invalid ${behavior} rule "${text}": ${problem}`, { code: "invalid_rule" });
}
