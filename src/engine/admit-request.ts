/** How much of what a run has a budget of. */
export interface Amount {
  /** US dollars. */
  readonly usd: number;
  /** Tokens that count. */
  readonly tokens: number;
}

export const NO_AMOUNT: Amount = { usd: 0, tokens: 0 };

/** Where a budget stands. */
export interface BudgetStand {
  readonly limits: Partial<Amount>;
  readonly spent: Amount;
  /** What the requests on their way take at worst. */
  readonly reserved: Amount;
  readonly requestsInFlight: number;
}

/** What a request takes of the budget. */
export interface RequestAmounts {
  /** At worst: nothing of the prompt is in the cache. */
  readonly prompt: Amount;
  /** What the prompt will take if the cache holds of it what it held of the one before. */
  readonly promptExpected: Amount;
  readonly perOutputToken: Amount;
  readonly outputTokensMax: number;
}

export type Admission =
  | { readonly type: "granted"; readonly outputTokensMax: number; readonly reserved: Amount }
  /** There may be room once a request that is on its way has ended. */
  | { readonly type: "wait" }
  | { readonly type: "exhausted"; readonly scope: keyof Amount };

/** A reply that may be no longer is not worth its prompt. */
export const OUTPUT_TOKENS_MIN = 256;

/**
 * Whether a request may be made. Beside others only where its worst case fits, with a reply that is as long as there is
 * room for. Alone also where it will fit as things go: a long conversation whose prompt comes from the cache costs a
 * small part of its worst case, and budgets would end half spent. So all requests together never go beyond a limit by
 * more than one reply.
 */
export function admitRequest(request: RequestAmounts, stand: BudgetStand): Admission {
  const worst = roomFor(request, request.prompt, stand);
  if (worst.isEnough) return granted(request, worst.outputTokens);
  if (stand.requestsInFlight > 0) {
    // What has been spent does not come back, however the others end.
    const alone = roomFor(request, request.promptExpected, { ...stand, reserved: NO_AMOUNT });
    return alone.isEnough ? { type: "wait" } : { type: "exhausted", scope: alone.scope };
  }
  const expected = roomFor(request, request.promptExpected, stand);
  return expected.isEnough ? granted(request, expected.outputTokens) : { type: "exhausted", scope: expected.scope };
}

export function addAmounts(a: Amount, b: Amount): Amount {
  return { usd: a.usd + b.usd, tokens: a.tokens + b.tokens };
}

export function scaleAmount({ usd, tokens }: Amount, factor: number): Amount {
  return { usd: usd * factor, tokens: tokens * factor };
}

function granted({ prompt, perOutputToken }: RequestAmounts, outputTokensMax: number): Admission {
  return { type: "granted", outputTokensMax, reserved: addAmounts(prompt, scaleAmount(perOutputToken, outputTokensMax)) };
}

/** How long a reply may be behind such a prompt, and the limit that allows the least. */
function roomFor({ perOutputToken, outputTokensMax }: RequestAmounts, prompt: Amount, stand: BudgetStand) {
  const room = (scope: keyof Amount) => {
    const left = (stand.limits[scope] ?? Number.POSITIVE_INFINITY) - stand.spent[scope] - stand.reserved[scope] - prompt[scope];
    if (left < 0) return 0;
    return perOutputToken[scope] === 0 ? outputTokensMax : Math.min(outputTokensMax, Math.floor(left / perOutputToken[scope]));
  };
  const [usd, tokens] = [room("usd"), room("tokens")];
  const outputTokens = Math.min(usd, tokens);
  const scope: keyof Amount = usd <= tokens ? "usd" : "tokens";
  return { outputTokens, isEnough: outputTokens >= Math.min(OUTPUT_TOKENS_MIN, outputTokensMax), scope };
}
