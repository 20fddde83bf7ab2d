import type { TokenPrices } from "../core/price-table.ts";
import type { BudgetRequest } from "../core/token-budget.ts";
import type { Usage } from "../core/usage.ts";
import type { Amount, RequestAmounts } from "./admit-request.ts";

/**
 * What a request takes of a budget.
 *
 * @param known.prices of its tokens
 * @param known.underestimate by which factor prompts were larger than estimated, at least 1
 * @param known.cachedTokens how much of the prompt is probably in the cache
 */
export function requestAmounts(
  { promptTokens, outputTokensMax }: BudgetRequest,
  known: { readonly prices: TokenPrices; readonly underestimate: number; readonly cachedTokens: number },
): RequestAmounts {
  const { prices, underestimate } = known;
  const cached = Math.min(promptTokens, known.cachedTokens);
  return {
    prompt: uncached(Math.ceil(promptTokens * underestimate), prices),
    promptExpected: { usd: uncached(promptTokens - cached, prices).usd + (cached * prices.cacheRead) / 1_000_000, tokens: promptTokens - cached },
    perOutputToken: { usd: prices.output / 1_000_000, tokens: 1 },
    outputTokensMax,
  };
}

/** What a reply takes in the end. What came from the cache was counted when it was new, and costs its own price. */
export function amountOf({ input, output, cacheRead, cacheWrite }: Usage, prices: TokenPrices): Amount {
  const usd = input * prices.input + output * prices.output + cacheRead * prices.cacheRead + cacheWrite * prices.cacheWrite;
  return { usd: usd / 1_000_000, tokens: input + cacheWrite + output };
}

/** How much of the next prompt the cache will hold after this reply. */
export function cachedTokensAfter({ cacheRead, cacheWrite }: Usage): number {
  return cacheRead + cacheWrite;
}

function uncached(tokens: number, { input, cacheRead, cacheWrite }: TokenPrices): Amount {
  return { usd: (tokens * Math.max(input, cacheRead, cacheWrite)) / 1_000_000, tokens };
}
