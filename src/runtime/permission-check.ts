import type { AgentContext } from "../core/agent.ts";
import type { PermissionRule } from "../core/permission.ts";
import { isInside } from "../lib/is-inside.ts";
import { decidePermission } from "../permissions/decide.ts";
import { isSearchPathFixed } from "../permissions/search-path.ts";
import type { PermissionGrants } from "./asking/permission-grants.ts";

/** @param ownRules what holds for this agent alone, besides those of the run */
export type PermissionCheck = (contextOf: () => AgentContext, ownRules?: readonly PermissionRule[]) => AgentContext["checkPermission"];

/**
 * Makes what decides about the calls of one agent. All agents of a run share the rules, so that what a person grants to
 * one holds for every other from then on.
 *
 * @param shared.readable what is free to read wherever an agent works
 */
export function createPermissionCheck(shared: {
  readonly grants: PermissionGrants;
  /** Absolute paths that no mode makes free to write: the user's settings and the state folder. */
  readonly protectedPaths: readonly string[];
  readonly readable: readonly string[];
  readonly searchPath: string | undefined;
}): PermissionCheck {
  const { grants, protectedPaths, readable, searchPath } = shared;
  return (contextOf, ownRules = []) => (tool, access) => {
    const context = contextOf();
    const { cwd, directories, permissionMode: mode, host } = context;
    const worktree = [...host.worktrees.values()].find(({ path }) => isInside(cwd, path));
    return decidePermission({
      tool: tool.name,
      access,
      isReadOnly: tool.isReadOnly(access, context),
      context: { mode, rules: ownRules.length === 0 ? grants.rules() : [...ownRules, ...grants.rules()], directories, readable },
      cwd,
      protectedPaths,
      ...(worktree === undefined ? {} : { isolation: { original: worktree.repositoryRoot, copy: worktree.path } }),
      isSearchPathFixed: isSearchPathFixed(searchPath),
    });
  };
}
