import { totalTokens, type Usage } from "../core/usage.ts";
import { modelFamily } from "./model-family.ts";
import { SCRIPTED_PREFIX } from "./model-name.ts";

/** What a reply costs. `usd` is null where the price is not known; `estimated` marks a figure from list prices. */
export interface Price {
  readonly usd: number | null;
  readonly estimated: boolean;
}

/**
 * The price of one reply by the list prices of 2026-11, in US dollars. Only of one reply, never of a sum: some models
 * charge by the length of the prompt. Models without a known list price have none, and scripted models are free.
 */
export function priceOf(model: string, usage: Usage): Price {
  if (model.startsWith(SCRIPTED_PREFIX)) return { usd: 0, estimated: false };
  const id = modelFamily(model);
  const rates = Object.hasOwn(LIST_PRICES, id) ? LIST_PRICES[id] : undefined;
  if (rates === undefined) return { usd: null, estimated: false };
  const promptTokens = totalTokens(usage) - usage.output;
  const { longPrompt } = rates;
  const { input, output, cacheRead, cacheWrite } =
    longPrompt !== undefined && promptTokens > longPrompt.aboveTokens ? longPrompt : rates;
  const perMillion =
    usage.input * input + usage.output * output + usage.cacheRead * cacheRead + usage.cacheWrite * cacheWrite;
  return { usd: perMillion / 1_000_000, estimated: true };
}

/** US dollars per million tokens. `cacheWrite` is the price of entries that live for five minutes, the only ones used. */
interface Rates {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

interface ModelRates extends Rates {
  /** The whole reply is charged by these once the prompt, cached parts included, is longer. */
  readonly longPrompt?: Rates & { readonly aboveTokens: number };
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
