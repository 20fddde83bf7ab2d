import type { PermissionBehavior, PermissionRule } from "../core/permission.ts";
import { allowsCommand, mayRunCommand, parseCommandPattern } from "./match-command.ts";
import { allowsPath, mayMeanPath } from "./match-path.ts";
import { operandsOf, type PermissionCall } from "./permission-call.ts";
import { isRuleFor } from "./rule-family.ts";

/** The rules of one kind that speak of calls like this one, whatever they say of it. */
export function rulesOf(call: PermissionCall, behavior: PermissionBehavior): readonly PermissionRule[] {
  return call.context.rules.filter((rule) => rule.behavior === behavior && isRuleFor(rule, call.tool, call.access));
}

/** Whether a deny or ask rule may mean a call. */
export function mayCover(rule: PermissionRule, call: PermissionCall): boolean {
  if (rule.spec === undefined) return true;
  if (call.access.kind === "command") return mayRunCommand(parseCommandPattern(rule.spec), call.access.command);
  return call.target !== undefined && mayMeanPath(rule.spec, call.target, call);
}

/** Whether an allow rule covers a call. */
export function covers(rule: PermissionRule, call: PermissionCall): boolean {
  const { spec } = rule;
  // A rule that does not speak of a protected name cannot have meant it.
  if (call.protectedBy !== undefined && spec?.toLowerCase().includes(call.protectedBy.toLowerCase()) !== true) return false;
  if (spec === undefined) return true;
  if (call.access.kind === "command") return allowsCommand(parseCommandPattern(spec), call.access.command);
  return call.target !== undefined && allowsPath(spec, call.target, call);
}

/** The rule that forbids a command for a path it names: what must not be read with the file tools must not be named to a command. */
export function denialOfOperand(call: PermissionCall): PermissionRule | undefined {
  const { access, context, cwd } = call;
  if (access.kind !== "command") return undefined;
  const rules = context.rules.filter((rule) => rule.behavior === "deny" && rule.tool === "Read" && rule.spec !== undefined);
  if (rules.length === 0) return undefined;
  const operands = operandsOf(access.command, cwd);
  return rules.find(({ spec = "" }) => operands.some((operand) => mayMeanPath(spec, operand, call)));
}
