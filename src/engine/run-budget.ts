import type { PriceTable, TokenPrices } from "../core/price-table.ts";
import type { BudgetAnswer, BudgetLimits, BudgetRequest, BudgetScope, BudgetUse, TokenBudget } from "../core/token-budget.ts";
import { totalTokens, type Usage } from "../core/usage.ts";
import { tokenPrices } from "../model/pricing.ts";
import { addAmounts, admitRequest, NO_AMOUNT, type Admission, type Amount } from "./admit-request.ts";
import { budgetMessage, unknownPriceMessage } from "./budget-message.ts";
import { amountOf, cachedTokensAfter, requestAmounts } from "./request-amounts.ts";

/** What a run and every task in it may still spend: one for the whole tree. */
export interface RunBudget extends TokenBudget {
  /** Takes note of what a request has cost that did not ask before. */
  charge(model: string, usage: Usage): void;
  /** Takes as many tool calls as are left, at most `count`. Returns how many. */
  takeToolCalls(count: number): number;
}

export interface RunBudgetParams {
  readonly limits: BudgetLimits;
  /** The user's own prices. */
  readonly prices: PriceTable;
  /** Four fifths of a limit are used up; called once for each. */
  readonly onWarning: (use: BudgetUse) => void;
  /** Something was refused because of a limit; called once for each. */
  readonly onExceeded: (use: BudgetUse) => void;
}

const WARNING_SHARE = 0.8;
/** An estimate that is further off than this was none. */
const UNDERESTIMATE_MAX = 3;

/**
 * Keeps account of what a run spends. Every request reserves its worst case before it is made, and gives back what it did
 * not take. One that finds no room waits for those that are on their way, in the order in which they came.
 */
export function createRunBudget({ limits, prices, onWarning, onExceeded }: RunBudgetParams): RunBudget {
  const reservations = new Map<object, Amount>();
  const waiting = new Set<Waiting>();
  const cachedTokens = new Map<string, number>();
  const told = new Set<string>();
  let spent = NO_AMOUNT;
  let toolCalls = 0;
  let underestimate = 1;

  const useOf = (scope: BudgetScope): BudgetUse => {
    const used = scope === "tool_calls" ? toolCalls : spent[scope];
    const limit = scope === "tool_calls" ? limits.toolCalls : limits[scope];
    return { scope, used, limit: limit ?? Number.POSITIVE_INFINITY };
  };

  function warn(scope: BudgetScope): void {
    const use = useOf(scope);
    if (use.used < use.limit * WARNING_SHARE || told.has(scope)) return;
    told.add(scope);
    onWarning(use);
  }

  function exceed(scope: BudgetScope): void {
    const key = `exceeded ${scope}`;
    if (told.has(key)) return;
    told.add(key);
    onExceeded(useOf(scope));
  }

  function spend(model: string, usage: Usage): void {
    const rates = tokenPrices(model, promptTokensOf(usage), prices) ?? UNKNOWN;
    spent = addAmounts(spent, amountOf(usage, rates));
    // A request that failed says nothing of the cache.
    if (promptTokensOf(usage) > 0) cachedTokens.set(model, cachedTokensAfter(usage));
    warn("usd");
    warn("tokens");
  }

  function admit(request: BudgetRequest): Admission | "unknown_price" {
    const rates = tokenPrices(request.model, Math.ceil(request.promptTokens * underestimate), prices);
    if (rates === undefined && limits.usd !== undefined) return "unknown_price";
    return admitRequest(requestAmounts(request, { prices: rates ?? UNKNOWN, underestimate, cachedTokens: cachedTokens.get(request.model) ?? 0 }), {
      limits,
      spent,
      reserved: [...reservations.values()].reduce(addAmounts, NO_AMOUNT),
      requestsInFlight: reservations.size,
    });
  }

  /** Undefined where the request has to wait. */
  function answer(request: BudgetRequest): BudgetAnswer | undefined {
    const admission = admit(request);
    if (admission === "unknown_price") return { type: "exhausted", scope: "usd", message: unknownPriceMessage(request.model) };
    switch (admission.type) {
      case "wait":
        return undefined;
      case "exhausted":
        exceed(admission.scope);
        return { type: "exhausted", scope: admission.scope, message: budgetMessage(useOf(admission.scope)) };
      case "granted":
        return { type: "granted", outputTokensMax: admission.outputTokensMax, settle: reserve(request, admission.reserved) };
    }
  }

  function reserve(request: BudgetRequest, amount: Amount): (usage: Usage) => void {
    const key = {};
    reservations.set(key, amount);
    return (usage) => {
      if (!reservations.delete(key)) return;
      underestimate = Math.min(UNDERESTIMATE_MAX, Math.max(underestimate, promptTokensOf(usage) / Math.max(1, request.promptTokens)));
      spend(request.model, usage);
      answerWaiting();
    };
  }

  /** Nobody overtakes: a large request would wait for ever behind small ones. */
  function answerWaiting(): void {
    for (const each of waiting) {
      const given = answer(each.request);
      if (given === undefined) return;
      waiting.delete(each);
      each.resolve(given);
    }
  }

  return {
    async reserve(request, signal) {
      const given = waiting.size === 0 ? answer(request) : undefined;
      if (given !== undefined) return given;
      if (signal.aborted) return STOPPED;
      const { promise, resolve } = Promise.withResolvers<BudgetAnswer>();
      const each = { request, resolve };
      const stop = () => {
        waiting.delete(each);
        resolve(STOPPED);
        // Who waited behind it may fit.
        answerWaiting();
      };
      waiting.add(each);
      signal.addEventListener("abort", stop, { once: true });
      try {
        return await promise;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    charge: spend,
    takeToolCalls(count) {
      const taken = Math.min(count, Math.max(0, (limits.toolCalls ?? Number.POSITIVE_INFINITY) - toolCalls));
      toolCalls += taken;
      warn("tool_calls");
      if (taken < count) exceed("tool_calls");
      return taken;
    },
  };
}

interface Waiting {
  readonly request: BudgetRequest;
  readonly resolve: (answer: BudgetAnswer) => void;
}

function promptTokensOf(usage: Usage): number {
  return totalTokens(usage) - usage.output;
}

/** Where dollars are not limited, they need not be known. */
const UNKNOWN: TokenPrices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

const STOPPED: BudgetAnswer = { type: "exhausted", scope: "usd", message: "The request was stopped while it waited for room in the budget" };
