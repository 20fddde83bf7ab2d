import type { PathRequest, PermissionBehavior, PermissionRule, Verdict } from "../core/permission.ts";
import { assertNever } from "../lib/assert-never.ts";
import { isInside } from "../lib/is-inside.ts";
import { allowsPath, mayMeanPath, type PathTarget } from "./match-path.ts";
import { pathTarget } from "./permission-call.ts";
import { isProcessInside, protectedName } from "./protected-paths.ts";
import { isRuleFor } from "./rule-family.ts";
import { askVerdict, freeVerdict, openVerdict, ruleText, ruleVerdict } from "./rule-verdict.ts";
import { allowFlag, suggestPathFlag, suggestPathRule } from "./suggest-flag.ts";

/** Decides a call that reads or writes one path, touches nothing, or is done by somebody else's program. */
export function decidePath(request: PathRequest): Verdict {
  const { access, context, cwd } = request;
  const target = "path" in access ? pathTarget(access.path, cwd) : undefined;
  const call = { ...request, target, protectedBy: access.kind === "write" && target !== undefined ? protectedBy(target, request) : undefined };
  const denied = matching(call, "deny");
  if (denied !== undefined) return ruleVerdict(denied, `The rule "${ruleText(denied)}" forbids this call`);
  if (target !== undefined && isProcessInside(target.real)) {
    return { behavior: "deny", layer: "built-in", reason: `"${target.real}" is the inside of a process, which may hold keys` };
  }
  if (access.kind === "write" && target !== undefined && isOriginal(target, request)) {
    return { behavior: "deny", layer: "built-in", reason: `"${target.real}" is in the checkout of which the agent works in a copy, ${request.isolation?.copy}: write there` };
  }
  const asked = context.mode === "bypassPermissions" ? undefined : matching(call, "ask");
  if (asked !== undefined) return askVerdict(asked, context);
  const allowed = allowingRule(call);
  if (allowed !== undefined) return ruleVerdict(allowed, `The rule "${ruleText(allowed)}" allows this call`);
  return decideByMode(call);
}

interface PathCall extends PathRequest {
  /** What a read or write is about. */
  readonly target: PathTarget | undefined;
  /** The name on account of which a write is not free. */
  readonly protectedBy: string | undefined;
}

function protectedBy(target: PathTarget, request: PathRequest): string | undefined {
  const options = { directories: request.context.directories, extra: request.protectedPaths ?? [] };
  return protectedName(target.real, options) ?? protectedName(target.literal, options);
}

function isOriginal({ real }: PathTarget, { isolation }: PathRequest): boolean {
  return isolation !== undefined && isInside(real, isolation.original) && !isInside(real, isolation.copy);
}

/** The first deny or ask rule that may mean the call. */
function matching(call: PathCall, behavior: Exclude<PermissionBehavior, "allow">): PermissionRule | undefined {
  const { target } = call;
  return rulesOf(call, behavior).find(({ spec }) => spec === undefined || (target !== undefined && mayMeanPath(spec, target, call)));
}

function allowingRule(call: PathCall): PermissionRule | undefined {
  const { access, context, protectedBy: name, target } = call;
  // Planning means looking only: what was allowed for the work does not hold yet.
  if (context.mode === "plan" && ((access.kind === "write" && !call.isReadOnly) || (access.kind === "foreign" && !access.claimsToRead))) return undefined;
  return rulesOf(call, "allow").find(({ spec }) => {
    // A rule that does not speak of a protected name cannot have meant it.
    if (name !== undefined && spec?.toLowerCase().includes(name.toLowerCase()) !== true) return false;
    return spec === undefined || (target !== undefined && allowsPath(spec, target, call));
  });
}

function rulesOf(call: PathCall, behavior: PermissionBehavior): readonly PermissionRule[] {
  return call.context.rules.filter((rule) => rule.behavior === behavior && isRuleFor(rule, call.tool, call.access));
}

function decideByMode(call: PathCall): Verdict {
  const { access, context } = call;
  if (context.mode === "bypassPermissions") return freeVerdict("mode", "The permission mode allows every call that no rule denies");
  switch (access.kind) {
    case "none":
      return freeVerdict("built-in", "The call touches nothing outside the conversation");
    case "read":
      if (context.readable?.some((path) => call.target !== undefined && isInside(call.target.real, path)) === true) return freeVerdict("built-in", "It reads what was kept for this conversation");
      return isInDirectories(call) ? freeVerdict("built-in", "It reads inside the working directories") : open(call, `"${call.target?.real}" is outside the working directories`);
    case "write":
      return decideWrite(call);
    case "foreign":
      return decideForeign(call);
    default:
      return assertNever(access, "access");
  }
}

function decideForeign({ tool, context }: PathCall): Verdict {
  const reason = `What "${tool}" does is decided by the server that it belongs to`;
  const mode = context.mode === "plan" ? "--permission-mode default " : "";
  return openVerdict(context, { reason, flag: `${mode}${allowFlag(tool)}`, grants: [tool], isChange: true });
}

function decideWrite(call: PathCall): Verdict {
  const real = call.target?.real ?? "";
  if (call.protectedBy !== undefined) return open(call, `"${real}" is protected: what stands in "${call.protectedBy}" can make programs run`);
  if (!isInDirectories(call)) return open(call, `"${real}" is outside the working directories`);
  if (call.context.mode === "acceptEdits") return freeVerdict("mode", "The permission mode allows writing inside the working directories");
  return open(call, `Writing "${real}" needs an approval`);
}

function isInDirectories({ target, context }: PathCall): boolean {
  return target !== undefined && context.directories.some((directory) => isInside(target.real, directory));
}

function open(call: PathCall, reason: string): Verdict {
  const { tool, target, access, context, cwd } = call;
  const flag = target === undefined ? undefined : suggestPathFlag({ tool, isWrite: access.kind === "write", target, isProtected: call.protectedBy !== undefined, context, cwd });
  const grant = target === undefined ? undefined : suggestPathRule(tool, target);
  const grants = grant === undefined ? [] : [grant];
  return openVerdict(context, { reason, flag, grants, isChange: access.kind === "write" });
}
