/** US dollars per million tokens. `cacheWrite` is the price of entries that live for five minutes, the only ones used. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Prices by model id. */
export type PriceTable = Readonly<Record<string, TokenPrices>>;
