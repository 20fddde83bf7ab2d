import type { AgentContext, Tool } from "../core/agent.ts";
import type { ToolAccess, Verdict } from "../core/permission.ts";

/** What a person allowed: this access, and nothing that it turns out to be meanwhile. */
export interface CallApproval {
  readonly access: ToolAccess;
  readonly verdict: Verdict;
}

/**
 * The context of a call that a person allowed. A tool decides once more about what it is going to touch; there, the
 * approval holds for the same tool and the same access. Whatever forbids the call still does.
 */
export function approvedContext(context: AgentContext, tool: Tool, approval: CallApproval): AgentContext {
  return {
    ...context,
    checkPermission(candidate, access) {
      const verdict = context.checkPermission(candidate, access);
      const isApproved = verdict.behavior === "ask" && candidate.name === tool.name && isSameAccess(access, approval.access);
      return isApproved ? approval.verdict : verdict;
    },
  };
}

function isSameAccess(one: ToolAccess, other: ToolAccess): boolean {
  if (one.kind === "command") return other.kind === "command" && other.command === one.command;
  if (one.kind === "none") return other.kind === "none";
  if (one.kind === "foreign") return other.kind === "foreign" && other.input === one.input;
  return other.kind === one.kind && other.path === one.path;
}
