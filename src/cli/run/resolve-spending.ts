import { AppError } from "../../core/errors.ts";
import type { Settings } from "../../core/settings.ts";
import type { BudgetLimits } from "../../core/token-budget.ts";
import type { RunLimitValues } from "../../core/within-ceilings.ts";
import { resolveModelAlias } from "../../model/aliases.ts";
import { tokenPrices } from "../../model/pricing.ts";
import type { AgentWork } from "../../runtime/run-request.ts";
import type { SavedLimits } from "../../runtime/saved-limits.ts";
import type { ArgumentValues } from "../command.ts";
import { countFlag } from "../flag-values.ts";
import type { RUN_ARGUMENTS } from "./arguments.ts";

/** The least that the service takes as a hint. */
const TASK_BUDGET_TOKENS_MIN = 20_000;

/** What an agent may spend, and on which models. */
export type Spending = Pick<AgentWork, "budget" | "prices" | "fallbackModels" | "taskBudgetTokens" | "waitMsMax">;

/**
 * Throws an `AppError` of reason `usage` for a value that cannot be, and for a limit in dollars on a model whose price is
 * not known; what `check` throws for a fallback.
 *
 * @param params.model the one that is asked first, after aliases
 * @param params.check says what a user should be told of a model that may be asked
 * @returns `warnings` are what a user should be told once
 */
export function resolveSpending(params: {
  readonly values: Pick<ArgumentValues<typeof RUN_ARGUMENTS>, "fallback-model" | "task-budget">;
  readonly limits: RunLimitValues;
  readonly settings: Settings;
  /** Of the conversation that is gone on with. */
  readonly saved: SavedLimits | undefined;
  readonly model: string;
  readonly check: (model: string) => readonly string[];
}): { readonly spending: Spending; readonly warnings: readonly string[] } {
  const { values, limits, settings, saved, model, check } = params;
  const fallbackModels = fallbacksOf(params);
  const warnings = fallbackModels.flatMap(check);
  const budget = budgetOf(limits);
  if (budget.usd !== undefined) requirePrices([model, ...fallbackModels], settings);
  const taskBudgetTokens = taskBudget(values["task-budget"]) ?? saved?.taskBudgetTokens;
  return {
    spending: {
      ...(Object.keys(budget).length === 0 ? {} : { budget }),
      ...(settings.prices === undefined ? {} : { prices: settings.prices }),
      ...(fallbackModels.length === 0 ? {} : { fallbackModels }),
      ...(taskBudgetTokens === undefined ? {} : { taskBudgetTokens }),
      ...(limits.waitForLimitMs === undefined ? {} : { waitMsMax: limits.waitForLimitMs }),
    },
    warnings: [...new Set(warnings)],
  };
}

function fallbacksOf({ values, settings, saved, model }: Parameters<typeof resolveSpending>[0]): string[] {
  const flag = values["fallback-model"];
  const names = flag?.split(",").map((name) => name.trim()) ?? saved?.fallbackModels ?? settings.fallbackModels ?? [];
  if (names.includes("")) throw new AppError("usage", `Cannot use "${flag ?? ""}" for --fallback-model: it takes models, separated by commas`, { code: "bad_value" });
  const models = names.map((name) => resolveModelAlias(name, settings.modelAliases));
  return [...new Set(models)].filter((fallback) => fallback !== model);
}

function budgetOf({ budgetUsdMax, budgetTokensMax, toolCallsMax }: RunLimitValues): BudgetLimits {
  return {
    ...(budgetUsdMax === undefined ? {} : { usd: budgetUsdMax }),
    ...(budgetTokensMax === undefined ? {} : { tokens: budgetTokensMax }),
    ...(toolCallsMax === undefined ? {} : { toolCalls: toolCallsMax }),
  };
}

/** What costs nobody knows how much cannot be kept within a limit. */
function requirePrices(models: readonly string[], { prices }: Settings): void {
  const unknown = models.find((model) => tokenPrices(model, 0, prices) === undefined);
  if (unknown === undefined) return;
  throw new AppError(
    "usage",
    `Cannot keep to --max-budget-usd: the price of the model "${unknown}" is not known; give it with agent config set 'prices.${unknown}' '{"input": 3, "output": 15}' (US dollars per million tokens), or limit with --max-tokens`,
    { code: "unknown_price" },
  );
}

function taskBudget(text: string | undefined): number | undefined {
  const tokens = countFlag("--task-budget", text);
  if (tokens === undefined || tokens >= TASK_BUDGET_TOKENS_MIN) return tokens;
  throw new AppError("usage", `Cannot use "${text ?? ""}" for --task-budget: it takes a whole number from ${TASK_BUDGET_TOKENS_MIN} up`, { code: "bad_value" });
}
