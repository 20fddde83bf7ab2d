import type { AgentEvent } from "../../core/agent.ts";
import type { PriceTable } from "../../core/price-table.ts";
import type { BudgetLimits, TokenBudget } from "../../core/token-budget.ts";
import { NO_USAGE } from "../../core/usage.ts";
import { createRunBudget } from "../../engine/run-budget.ts";

/** What an agent and all that it starts may spend, within what those above it may. */
export interface AgentBudget extends TokenBudget {
  /** Takes note of what a request has cost that did not ask before. */
  note(event: AgentEvent): void;
}

/**
 * Makes the budget of an agent whose definition has one. A request has to fit into it and into everything above it; who
 * waits for room above keeps its room here, and nobody above ever waits for somebody below.
 *
 * @param params.outer of whoever starts the agent: its own, or that of the run; undefined where nothing is limited
 */
export function createAgentBudget(params: { readonly limits: BudgetLimits; readonly prices: PriceTable; readonly outer: TokenBudget | AgentBudget | undefined }): AgentBudget {
  const { limits, prices, outer } = params;
  const own = createRunBudget({ limits, prices, onWarning: () => undefined, onExceeded: () => undefined });
  return {
    async reserve(request, signal) {
      const inner = await own.reserve(request, signal);
      if (inner.type === "exhausted") return { ...inner, message: `The agent's own budget does not suffice: ${inner.message}` };
      if (outer === undefined) return inner;
      const granted = await outer.reserve({ ...request, outputTokensMax: inner.outputTokensMax }, signal);
      if (granted.type === "exhausted") {
        inner.settle(NO_USAGE);
        return granted;
      }
      return {
        ...granted,
        settle(usage) {
          inner.settle(usage);
          granted.settle(usage);
        },
      };
    },
    note(event) {
      if (event.type === "side_request" && event.purpose === "summary") own.charge(event.model, event.usage);
      // The budget of the run takes note of everybody's events by itself.
      if (outer !== undefined && "note" in outer) outer.note(event);
    },
  };
}
