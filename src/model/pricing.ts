import type { PriceTable, TokenPrices } from "../core/price-table.ts";
import { totalTokens, type Usage } from "../core/usage.ts";
import { modelFamily } from "./model-family.ts";
import { SCRIPTED_PREFIX } from "./model-name.ts";

/** What a reply costs. `usd` is null where the price is not known; `estimated` marks a figure from list prices. */
export interface Price {
  readonly usd: number | null;
  readonly estimated: boolean;
}

/**
 * The price of one reply in US dollars, by the user's own prices or else by the list prices of 2026-11. Only of one reply,
 * never of a sum: some models charge by the length of the prompt. Models without a known price have none, and scripted
 * models are free.
 *
 * @param prices the user's own; none unless given
 */
export function priceOf(model: string, usage: Usage, prices: PriceTable = {}): Price {
  if (model.startsWith(SCRIPTED_PREFIX)) return { usd: 0, estimated: false };
  const rates = tokenPrices(model, totalTokens(usage) - usage.output, prices);
  if (rates === undefined) return { usd: null, estimated: false };
  const perMillion =
    usage.input * rates.input + usage.output * rates.output + usage.cacheRead * rates.cacheRead + usage.cacheWrite * rates.cacheWrite;
  return { usd: perMillion / 1_000_000, estimated: true };
}

const FREE: TokenPrices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * What the tokens of a reply to a prompt of this length cost; undefined where it is not known. A dated id has the price
 * of its family unless the user's table names it.
 *
 * @param promptTokens cached ones included
 */
export function tokenPrices(model: string, promptTokens: number, prices: PriceTable = {}): TokenPrices | undefined {
  if (model.startsWith(SCRIPTED_PREFIX)) return FREE;
  const family = modelFamily(model);
  const own = entry(prices, model) ?? entry(prices, family);
  if (own !== undefined) return own;
  const rates = entry(LIST_PRICES, family);
  const longPrompt = rates?.longPrompt;
  return longPrompt !== undefined && promptTokens > longPrompt.aboveTokens ? longPrompt : rates;
}

function entry<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

interface ModelRates extends TokenPrices {
  /** The whole reply is charged by these once the prompt, cached parts included, is longer. */
  readonly longPrompt?: TokenPrices & { readonly aboveTokens: number };
}

const MYTHOS_5: ModelRates = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 };
const MYTHOS_5_1: ModelRates = { ...MYTHOS_5, cacheRead: 0.25 };
const OPUS_5: ModelRates = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };
const SONNET_5: ModelRates = { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 };
const SONNET_4: ModelRates = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

const LIST_PRICES: Readonly<Record<string, ModelRates>> = {
  "claude-fable-5-2": { input: 8, output: 40, cacheRead: 0.2, cacheWrite: 10 },
  "claude-fable-5-1": MYTHOS_5_1,
  "claude-mythos-5-1": MYTHOS_5_1,
  "claude-fable-5": MYTHOS_5,
  "claude-mythos-5": MYTHOS_5,
  "claude-opus-5-5": { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
  "claude-opus-5": OPUS_5,
  "claude-opus-4-8": OPUS_5,
  "claude-opus-4-7": OPUS_5,
  "claude-opus-4-6": OPUS_5,
  "claude-opus-4-5": OPUS_5,
  "claude-sonnet-5-5": { ...SONNET_5, cacheRead: 0.1 },
  "claude-sonnet-5": SONNET_5,
  "claude-sonnet-4-6": SONNET_4,
  "claude-sonnet-4-5": SONNET_4,
  "claude-haiku-5-5": {
    input: 0.1,
    output: 0.5,
    cacheRead: 0.01,
    cacheWrite: 0.125,
    longPrompt: { aboveTokens: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 0.625 },
  },
  "claude-haiku-4-5": { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
};
