import type { BudgetScope, BudgetUse } from "../core/token-budget.ts";

/** Why nothing more is spent, and what would allow more. */
export function budgetMessage(use: BudgetUse): string {
  const spent = `${amount(use.scope, use.used)} of ${amount(use.scope, use.limit)} ${NOUNS[use.scope]} used`;
  const rest = use.scope === "tool_calls" ? "" : ", and the rest does not suffice for another request";
  return `The budget is used up: ${spent}${rest}; ${FLAGS[use.scope]} allows more`;
}

/** That a limit is near. */
export function budgetWarning(use: BudgetUse): string {
  const share = Math.floor((use.used / use.limit) * 100);
  return `${share} % of the budget is used up: ${amount(use.scope, use.used)} of ${amount(use.scope, use.limit)} ${NOUNS[use.scope]} (${FLAGS[use.scope]})`;
}

export function unknownPriceMessage(model: string): string {
  return `Cannot keep to --max-budget-usd: the price of the model "${model}" is not known; give it with the setting prices`;
}

const NOUNS: Readonly<Record<BudgetScope, string>> = { usd: "US dollars", tokens: "tokens", tool_calls: "tool calls" };
const FLAGS: Readonly<Record<BudgetScope, string>> = { usd: "--max-budget-usd", tokens: "--max-tokens", tool_calls: "--max-tool-calls" };

function amount(scope: BudgetScope, value: number): string {
  return scope === "usd" ? String(Number(value.toFixed(4))) : value.toLocaleString("en-US");
}
