import type { Thinking } from "../core/thinking.ts";
import { modelFamily } from "./model-family.ts";

/** How the thinking of a model is asked for. */
export interface ThinkingTraits {
  /** Whether the model decides by itself when and how much it thinks, within an effort that it is told. */
  readonly isAdaptive: boolean;
  /** Whether it can be given a number of tokens to think with. */
  readonly takesBudget: boolean;
  /** What it is told not to think with: nothing where it does not unless told, or where it cannot be stopped. */
  readonly off: "nothing" | "disabled" | "between_tools";
  /** Whether it thinks whatever it is told. */
  readonly isAlwaysOn: boolean;
}

/**
 * What is known of a model, by the tables of platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting and
 * the notes of each model (of 2026-11). Of every other model it is assumed that it does not think unless told, and takes a
 * number of tokens, as models did from the beginning; where that is wrong, the refusal says so and the request is repaired.
 */
export function thinkingTraits(model: string): ThinkingTraits {
  const id = modelFamily(model);
  return (Object.hasOwn(TRAITS, id) ? TRAITS[id] : undefined) ?? BY_BUDGET;
}

/** Whether a model thinks when it is asked for so much, or for nothing in particular. */
export function mayThink(model: string, thinking: Thinking | undefined): boolean {
  const { isAlwaysOn, off } = thinkingTraits(model);
  if (isAlwaysOn) return true;
  // What has to be told to stop thinks by itself.
  return thinking === undefined ? off !== "nothing" : thinking !== "off";
}

const BY_BUDGET: ThinkingTraits = { isAdaptive: false, takesBudget: true, off: "nothing", isAlwaysOn: false };
const ADAPTIVE: ThinkingTraits = { isAdaptive: true, takesBudget: false, off: "nothing", isAlwaysOn: false };
const ALWAYS: ThinkingTraits = { ...ADAPTIVE, isAlwaysOn: true };
const UNLESS_DISABLED: ThinkingTraits = { ...ADAPTIVE, off: "disabled" };

const TRAITS: Readonly<Record<string, ThinkingTraits>> = {
  "claude-fable-5": ALWAYS,
  "claude-fable-5-1": ALWAYS,
  "claude-fable-5-2": ALWAYS,
  "claude-mythos-5": ALWAYS,
  "claude-mythos-5-1": ALWAYS,
  "claude-mythos-5-2": ALWAYS,
  "claude-mythos-preview": { ...ALWAYS, takesBudget: true },
  "claude-opus-5-5": ALWAYS,
  "claude-opus-5": UNLESS_DISABLED,
  "claude-haiku-5-5": UNLESS_DISABLED,
  "claude-sonnet-5": UNLESS_DISABLED,
  // The least that it can be told: what it says between its calls, and nothing before them.
  "claude-sonnet-5-5": { ...ADAPTIVE, off: "between_tools" },
  "claude-opus-4-8": ADAPTIVE,
  "claude-opus-4-7": ADAPTIVE,
  "claude-opus-4-6": { ...ADAPTIVE, takesBudget: true },
  "claude-sonnet-4-6": { ...ADAPTIVE, takesBudget: true },
};
