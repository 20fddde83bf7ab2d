import { limitCalls } from "../../agent/limit-calls.ts";
import type { RunCalls } from "../../agent/run-tool-calls.ts";
import type { BudgetLimits, BudgetUse } from "../../core/token-budget.ts";
import type { PriceTable } from "../../core/price-table.ts";
import type { RunEventBody } from "../../core/stream-event.ts";
import type { TaskId } from "../../core/task.ts";
import { budgetMessage, budgetWarning } from "../../engine/budget-message.ts";
import { createRunBudget, type RunBudget } from "../../engine/run-budget.ts";
import type { RunStop } from "../run-request.ts";

export interface OpenRunBudget {
  readonly budget: RunBudget;
  /** Answers calls within the budget; absent where calls are not limited. */
  readonly limitCalls?: (runCalls?: RunCalls) => RunCalls;
}

/** The budget of a run, which says in the run's events and to its user how far it is used up. */
export function openRunBudget(params: {
  readonly limits: BudgetLimits;
  readonly prices: PriceTable;
  readonly taskId: TaskId;
  readonly parentId: TaskId | null;
  readonly emit: (event: RunEventBody) => void;
  readonly warn: (text: string) => void;
  /** Ends the run. */
  readonly stop: (stop: RunStop) => void;
}): OpenRunBudget {
  const { limits, prices, taskId, parentId, emit, warn, stop } = params;
  const tell = (type: "budget.warning" | "budget.exceeded", use: BudgetUse) => emit({ type, task_id: taskId, parent_task_id: parentId, ...use });
  const budget = createRunBudget({
    limits,
    prices,
    onWarning(use) {
      tell("budget.warning", use);
      warn(budgetWarning(use));
    },
    onExceeded: (use) => tell("budget.exceeded", use),
  });
  const { toolCalls } = limits;
  if (toolCalls === undefined) return { budget };
  const message = budgetMessage({ scope: "tool_calls", used: toolCalls, limit: toolCalls });
  const onExceeded = () => stop({ reason: "budget", code: "budget_tool_calls", message });
  return { budget, limitCalls: (runCalls) => limitCalls({ take: budget.takeToolCalls, onExceeded }, runCalls) };
}
