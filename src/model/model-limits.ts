import { modelFamily } from "./model-family.ts";

/** How much fits into a model. */
export interface ModelLimits {
  /** Tokens of the prompt and the reply together. */
  readonly contextTokens: number;
  /** The largest `max_tokens` that is accepted. */
  readonly outputTokensMax: number;
}

/** What nearly every model has that compatible servers offer. Too little costs an early compaction, too much a refusal. */
export const CONTEXT_TOKENS_DEFAULT = 200_000;
export const OUTPUT_TOKENS_MAX_DEFAULT = 32_000;

/**
 * The limits of a model, by the pages of the models at platform.claude.com/docs/en/models (`NAME/overview`, of 2026-10);
 * the types of the service's library name the models and say nothing of limits. A dated id has the limits of its family,
 * and a model that is not known has the defaults.
 */
export function modelLimits(model: string): ModelLimits {
  const id = modelFamily(model);
  const known = Object.hasOwn(LIMITS, id) ? LIMITS[id] : undefined;
  return known ?? { contextTokens: CONTEXT_TOKENS_DEFAULT, outputTokensMax: OUTPUT_TOKENS_MAX_DEFAULT };
}

const MILLION: ModelLimits = { contextTokens: 1_000_000, outputTokensMax: 128_000 };
const GENERATION_4_5: ModelLimits = { contextTokens: 200_000, outputTokensMax: 64_000 };

const LIMITS: Readonly<Record<string, ModelLimits>> = {
  // Its page was not published then; every other model of its generation has these.
  "claude-fable-5-2": MILLION,
  "claude-fable-5-1": MILLION,
  "claude-mythos-5-1": MILLION,
  "claude-fable-5": MILLION,
  "claude-mythos-5": MILLION,
  "claude-opus-5-5": MILLION,
  "claude-opus-5": MILLION,
  "claude-opus-4-8": MILLION,
  "claude-opus-4-7": MILLION,
  "claude-opus-4-6": MILLION,
  "claude-opus-4-5": GENERATION_4_5,
  "claude-sonnet-5-5": MILLION,
  "claude-sonnet-5": MILLION,
  "claude-sonnet-4-6": MILLION,
  "claude-sonnet-4-5": GENERATION_4_5,
  "claude-haiku-5-5": MILLION,
  "claude-haiku-4-5": GENERATION_4_5,
};
