import { THINKING_TOKENS_MIN, type Thinking, type ThinkingEffort } from "../core/thinking.ts";
import { thinkingTraits, type ThinkingTraits } from "./thinking-traits.ts";

/** What a request says of thinking; what is absent is not sent. */
export interface ThinkingParameters {
  readonly thinking?: WireThinking;
  readonly effort?: ThinkingEffort;
}

export type WireThinking = { type: "adaptive" } | { type: "disabled" } | { type: "between_tools" } | { type: "enabled"; budget_tokens: number };

/** For models that are told a number of tokens. */
const TOKENS: Readonly<Record<ThinkingEffort, number>> = { low: 4_000, medium: 10_000, high: 24_000 };
/** Up to so many tokens a number means this effort, for models that are told an effort. */
const EFFORTS: readonly (readonly [number, ThinkingEffort])[] = [
  [6_000, "low"],
  [16_000, "medium"],
];
/** What is left for the answer of a reply that may also think. */
const ANSWER_SHARE = 0.25;

/**
 * How a model is asked to think so much. Undefined asks for nothing, so that it does as it does by itself. A model that
 * cannot be stopped from thinking is not told to stop.
 *
 * @param outputTokensMax of the reply, thinking included; where that leaves less than the least, there is none
 */
export function thinkingParameters(model: string, thinking: Thinking | undefined, outputTokensMax: number): ThinkingParameters {
  if (thinking === undefined) return {};
  const traits = thinkingTraits(model);
  if (thinking === "off") return offParameters(traits);
  const isByBudget = traits.takesBudget && (!traits.isAdaptive || typeof thinking === "number");
  if (!isByBudget) return { thinking: { type: "adaptive" }, effort: effortOf(thinking) };
  const tokens = Math.min(typeof thinking === "number" ? thinking : TOKENS[thinking], Math.floor(outputTokensMax * (1 - ANSWER_SHARE)));
  return tokens < THINKING_TOKENS_MIN ? {} : { thinking: { type: "enabled", budget_tokens: tokens } };
}

function offParameters({ off }: ThinkingTraits): ThinkingParameters {
  return off === "nothing" ? {} : { thinking: { type: off } };
}

function effortOf(thinking: ThinkingEffort | number): ThinkingEffort {
  if (typeof thinking !== "number") return thinking;
  return EFFORTS.find(([tokens]) => thinking <= tokens)?.[1] ?? "high";
}
