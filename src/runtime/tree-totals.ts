import type { PermissionDenial } from "../core/permission.ts";
import { addUsage, NO_USAGE, type Usage } from "../core/usage.ts";

/** What all agents of a run have used together. */
export interface TreeTotals {
  add(request: { readonly model: string; readonly usage: Usage; readonly usd: number | null; readonly isEstimated: boolean; readonly durationMs: number }): void;
  refuse(denial: PermissionDenial): void;
  totals(): {
    readonly usage: Usage;
    readonly usageByModel: Readonly<Record<string, Usage>>;
    /** US dollars; null where a price is not known. */
    readonly costUsd: number | null;
    readonly costUsdByModel: Readonly<Record<string, number | null>>;
    readonly isCostEstimated: boolean;
    readonly apiDurationMs: number;
    /** The refused calls, in their order. */
    readonly denials: readonly PermissionDenial[];
  };
}

/** How many of them a result lists. */
const DENIALS_MAX = 1_000;

export function createTreeTotals(): TreeTotals {
  const usageByModel = new Map<string, Usage>();
  const costUsdByModel = new Map<string, number | null>();
  let usage: Usage = NO_USAGE;
  let costUsd: number | null = 0;
  let isCostEstimated = false;
  let apiDurationMs = 0;
  const denials: PermissionDenial[] = [];
  return {
    add({ model, usage: used, usd, isEstimated, durationMs }) {
      usage = addUsage(usage, used);
      usageByModel.set(model, addUsage(usageByModel.get(model) ?? NO_USAGE, used));
      costUsd = sum(costUsd, usd);
      costUsdByModel.set(model, sum(costUsdByModel.get(model) ?? 0, usd));
      isCostEstimated ||= isEstimated;
      apiDurationMs += durationMs;
    },
    refuse(denial) {
      if (denials.length < DENIALS_MAX) denials.push(denial);
    },
    totals: () => ({ usage, usageByModel: Object.fromEntries(usageByModel), costUsd, costUsdByModel: Object.fromEntries(costUsdByModel), isCostEstimated, apiDurationMs, denials: [...denials] }),
  };
}

/** A price that is not known makes the whole unknown. */
function sum(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other;
}
