import type { Usage } from "./usage.ts";

/** What a run and everything in it may still spend. Requests ask before they are made. */
export interface TokenBudget {
  /**
   * Waits until there is room for a request, as other replies of the run may leave some over.
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
  | { readonly type: "exhausted"; readonly message: string };
