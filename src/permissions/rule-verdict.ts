import type { PermissionContext, PermissionRule, Verdict } from "../core/permission.ts";

/** The verdict of a rule. */
export function ruleVerdict(rule: PermissionRule, reason: string): Verdict {
  return { behavior: rule.behavior, reason, rule: ruleText(rule), layer: rule.layer };
}

/** What an ask rule comes to where its mode may say that nobody is asked. */
export function askVerdict(rule: PermissionRule, { mode }: PermissionContext): Verdict {
  const reason = `The rule "${ruleText(rule)}" requires that this call is approved`;
  return { ...ruleVerdict(rule, reason), behavior: mode === "dontAsk" ? "deny" : "ask", flag: "--permission-mode bypassPermissions" };
}

export function freeVerdict(layer: "mode" | "built-in", reason: string): Verdict {
  return { behavior: "allow", layer, reason };
}

/** What nothing allows: a question, or a refusal where the mode says that nobody is asked. */
export function openVerdict(
  { mode }: PermissionContext,
  params: { readonly reason: string; readonly flag?: string | undefined; readonly grants?: readonly string[]; readonly isChange?: boolean },
): Verdict {
  const { flag, grants = [], reason } = params;
  const shared = { layer: "mode", ...(flag === undefined || flag === "" ? {} : { flag }), ...(grants.length === 0 ? {} : { grants }) } as const;
  if (mode === "plan" && params.isChange === true) return { ...shared, behavior: "deny", reason: 'The permission mode "plan" allows reading only' };
  return { ...shared, behavior: mode === "dontAsk" ? "deny" : "ask", reason };
}

/** `deny:Bash(rm:*)` */
export function ruleText(rule: PermissionRule): string {
  return `${rule.behavior}:${rule.tool}${rule.spec === undefined ? "" : `(${rule.spec})`}`;
}
