export const THINKING_EFFORTS = ["low", "medium", "high"] as const;
/** How much of it, where the model itself decides when. */
export type ThinkingEffort = (typeof THINKING_EFFORTS)[number];

/** How much a model thinks before it answers: not at all, so much, or a number of tokens at the most. */
export type Thinking = "off" | ThinkingEffort | number;

/** The least number of tokens that the service takes for it. */
export const THINKING_TOKENS_MIN = 1_024;

/** Undefined for what is none. */
export function readThinking(value: unknown): Thinking | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= THINKING_TOKENS_MIN ? value : undefined;
  return value === "off" ? value : THINKING_EFFORTS.find((effort) => effort === value);
}
