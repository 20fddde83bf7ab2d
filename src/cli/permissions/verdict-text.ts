import type { Verdict } from "../../core/permission.ts";
import { visibleText } from "../../lib/visible-text.ts";

const OUTCOMES: Readonly<Record<Verdict["behavior"], string>> = {
  allow: "allowed",
  ask: "not allowed: a person would be asked, and where nobody can answer it is refused",
  deny: "refused",
};

/** What a verdict says, for people: what was seen, what decided, and what would allow it. */
export function verdictText(call: string, verdict: Verdict): string {
  const { commands = [], rule, layer, flag } = verdict;
  const by = rule === undefined ? layer : `${rule} (${layer})`;
  const lines = [
    visibleText(call),
    ...commands.map(({ text, isAllowed, reason }) => `  ${isAllowed ? "+" : "-"} ${visibleText(text)}\n      ${visibleText(reason)}`),
    OUTCOMES[verdict.behavior],
    `  reason: ${visibleText(verdict.reason)}`,
    ...(by === undefined ? [] : [`  decided by: ${visibleText(by)}`]),
    ...(flag === undefined ? [] : [`  would allow it: ${visibleText(flag)}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** The same for programs. */
export function verdictJson(call: string, verdict: Verdict): object {
  const { behavior, reason, rule = null, layer = null, flag = null, commands = [] } = verdict;
  return {
    v: 1,
    call,
    behavior,
    reason,
    rule,
    layer,
    flag,
    commands: commands.map(({ text, isAllowed, isReadOnly, reason: why }) => ({ text, allowed: isAllowed, read_only: isReadOnly, reason: why })),
  };
}
