import type { PermissionRule, Verdict } from "../core/permission.ts";
import { assertNever } from "../lib/assert-never.ts";
import { isInside } from "../lib/is-inside.ts";
import { hidesCommands, plainCommandWords } from "./match-command.ts";
import { covers, denialOfOperand, mayCover, rulesOf } from "./match-rule.ts";
import { describeCall, type PermissionCall, type PermissionRequest } from "./permission-call.ts";
import { isProcessInside } from "./protected-paths.ts";
import { suggestFlag } from "./suggest-flag.ts";

/**
 * Decides one call. Looks at the file system to find out what paths really are, and never asks anybody: `ask` means that
 * nothing allows the call and nothing forbids it.
 *
 * In this order: deny rules of any layer in any mode, with commands that may hide a denied one; ask rules; allow rules;
 * the mode.
 */
export function decidePermission(request: PermissionRequest): Verdict {
  const call = describeCall(request);
  return denied(call) ?? asked(call) ?? allowedByRule(call) ?? decidedByMode(call);
}

function denied(call: PermissionCall): Verdict | undefined {
  const rules = rulesOf(call, "deny");
  const rule = rules.find((candidate) => mayCover(candidate, call)) ?? denialOfOperand(call);
  if (rule !== undefined) return ruleVerdict(rule, `The rule "${ruleText(rule)}" forbids this call`);
  if (call.target !== undefined && isProcessInside(call.target.real)) {
    return { behavior: "deny", layer: "built-in", reason: `"${call.target.real}" is the inside of a process, which may hold keys` };
  }
  const [hidden] = rules;
  if (call.access.kind !== "command" || hidden === undefined || !hidesCommands(call.access.command)) return undefined;
  const reason = `It cannot be seen what the command runs, and the rule "${ruleText(hidden)}" forbids some commands; use a plain command, without shell syntax or another shell`;
  return ruleVerdict(hidden, reason);
}

function asked(call: PermissionCall): Verdict | undefined {
  if (call.context.mode === "bypassPermissions") return undefined;
  const rules = rulesOf(call, "ask");
  const mayHide = call.access.kind === "command" && hidesCommands(call.access.command);
  const rule = rules.find((candidate) => mayHide || mayCover(candidate, call));
  if (rule === undefined) return undefined;
  const reason = `The rule "${ruleText(rule)}" requires that this call is approved`;
  return { ...ruleVerdict(rule, reason), behavior: call.context.mode === "dontAsk" ? "deny" : "ask", flag: "--permission-mode bypassPermissions" };
}

function allowedByRule(call: PermissionCall): Verdict | undefined {
  const { access, context } = call;
  // Planning means looking only: what was allowed for the work does not hold yet.
  if (context.mode === "plan" && !call.isReadOnly && (access.kind === "write" || access.kind === "command")) return undefined;
  const rule = rulesOf(call, "allow").find((candidate) => covers(candidate, call));
  return rule === undefined ? undefined : ruleVerdict(rule, `The rule "${ruleText(rule)}" allows this call`);
}

function decidedByMode(call: PermissionCall): Verdict {
  const { access, context, target } = call;
  if (context.mode === "bypassPermissions") return free("mode", "The permission mode allows every call that no rule denies");
  switch (access.kind) {
    case "none":
      return free("built-in", "The call touches nothing outside the conversation");
    case "read":
      return isInDirectories(call) ? free("built-in", "It reads inside the working directories") : open(call, `"${target?.real}" is outside the working directories`);
    case "write":
      return decideWrite(call);
    case "command":
      if (call.isReadOnlyCommand) return free("built-in", "The command only reads inside the working directories");
      return open(call, commandReason(access.command), { isChange: true });
    default:
      return assertNever(access, "access");
  }
}

function decideWrite(call: PermissionCall): Verdict {
  const real = call.target?.real ?? "";
  if (call.protectedBy !== undefined) return open(call, `"${real}" is protected: what stands in "${call.protectedBy}" can make programs run`, { isChange: true });
  if (!isInDirectories(call)) return open(call, `"${real}" is outside the working directories`, { isChange: true });
  if (call.context.mode === "acceptEdits") return free("mode", "The permission mode allows writing inside the working directories");
  return open(call, `Writing "${real}" needs an approval`, { isChange: true });
}

function commandReason(command: string): string {
  if (plainCommandWords(command) !== undefined) return `No rule allows the command "${command}"`;
  return "A rule for a command covers plain ones only, and this one has shell syntax: it cannot be told what else it runs";
}

function isInDirectories(call: PermissionCall): boolean {
  const { target } = call;
  return target !== undefined && call.context.directories.some((directory) => isInside(target.real, directory));
}

function free(layer: "mode" | "built-in", reason: string): Verdict {
  return { behavior: "allow", layer, reason };
}

/** What nothing allows: a question, or a refusal where the mode says that nobody is asked. */
function open(call: PermissionCall, reason: string, options: { readonly isChange?: boolean } = {}): Verdict {
  const flag = suggestFlag({ ...call, isProtected: call.protectedBy !== undefined });
  const shared = { layer: "mode", ...(flag === undefined || flag === "" ? {} : { flag }) } as const;
  if (call.context.mode === "plan" && options.isChange === true) {
    return { ...shared, behavior: "deny", reason: "The permission mode \"plan\" allows reading only" };
  }
  return { ...shared, behavior: call.context.mode === "dontAsk" ? "deny" : "ask", reason };
}

function ruleVerdict(rule: PermissionRule, reason: string): Verdict {
  return { behavior: rule.behavior, reason, rule: ruleText(rule), layer: rule.layer };
}

/** `deny:Bash(rm:*)` */
function ruleText(rule: PermissionRule): string {
  return `${rule.behavior}:${rule.tool}${rule.spec === undefined ? "" : `(${rule.spec})`}`;
}
