import { isRecord } from "../lib/is-record.ts";
import type { AgentWork, RunRequest } from "./run-request.ts";

/** The limits of a conversation's latest run that the next one keeps unless told. What they allow, each run has anew. */
export interface SavedLimits {
  readonly budgetUsdMax?: number;
  readonly budgetTokensMax?: number;
  readonly toolCallsMax?: number;
  readonly idleTimeoutMs?: number;
  readonly waitForLimitMs?: number;
  readonly taskBudgetTokens?: number;
  readonly fallbackModels?: readonly string[];
}

export function savedLimits(request: RunRequest, work: AgentWork): SavedLimits {
  return pickLimits({
    budgetUsdMax: work.budget?.usd,
    budgetTokensMax: work.budget?.tokens,
    toolCallsMax: work.budget?.toolCalls,
    idleTimeoutMs: request.idleTimeoutMs,
    waitForLimitMs: work.waitMsMax,
    taskBudgetTokens: work.taskBudgetTokens,
    fallbackModels: work.fallbackModels,
  });
}

/** We wrote them ourselves; what is none of them is left out. */
export function readSavedLimits(saved: unknown): SavedLimits {
  return isRecord(saved) ? pickLimits(saved) : {};
}

const NUMBERS = ["budgetUsdMax", "budgetTokensMax", "toolCallsMax", "idleTimeoutMs", "waitForLimitMs", "taskBudgetTokens"] as const;

function pickLimits(values: Readonly<Record<string, unknown>>): SavedLimits {
  const numbers = NUMBERS.flatMap((name) => (typeof values[name] === "number" ? [[name, values[name]] as const] : []));
  const { fallbackModels } = values;
  const models = Array.isArray(fallbackModels) ? fallbackModels.filter((model) => typeof model === "string") : [];
  return { ...Object.fromEntries(numbers), ...(models.length === 0 ? {} : { fallbackModels: models }) };
}
