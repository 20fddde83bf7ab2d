import type { Usage } from "./usage.ts";

/** What a run can have a budget of. */
export const BUDGET_SCOPES = ["usd", "tokens", "tool_calls"] as const;
export type BudgetScope = (typeof BUDGET_SCOPES)[number];

/** What a run may spend at most; what is left out has no limit. */
export interface BudgetLimits {
  /** US dollars. */
  readonly usd?: number;
  /**
   * Tokens of replies and of prompts, but not what of a prompt was read from the cache: that is the conversation so far,
   * which was counted when it was new.
   */
  readonly tokens?: number;
  /** Calls that the model makes, refused ones included. */
  readonly toolCalls?: number;
}

/** How far a limit is used up. */
export interface BudgetUse {
  readonly scope: BudgetScope;
  readonly used: number;
  readonly limit: number;
}

/** What a run and everything in it may still spend. Requests ask before they are made. */
export interface TokenBudget {
  /**
   * Waits until there is room for a request, as other replies of the run may leave some over. An abort of the signal ends
   * the wait with any answer.
   *
   * @returns how much of it there is, or that nothing is left
   */
  reserve(request: BudgetRequest, signal: AbortSignal): Promise<BudgetAnswer>;
}

export interface BudgetRequest {
  readonly model: string;
  /** Tokens of the prompt, as far as known. */
  readonly promptTokens: number;
  readonly outputTokensMax: number;
}

export type BudgetAnswer =
  | {
      readonly type: "granted";
      /** At most what was asked for. */
      readonly outputTokensMax: number;
      /** Takes note of what the request has cost in the end; has to be called once. */
      readonly settle: (usage: Usage) => void;
    }
  | { readonly type: "exhausted"; readonly scope: BudgetScope; readonly message: string };
