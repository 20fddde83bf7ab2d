import type { StopReason } from "../../core/agent.ts";
import type { ModelError } from "../../model/client.ts";
import type { OptionalParameter } from "../../model/model-traits.ts";
import type { RequestRepair } from "../../model/request-repair.ts";
import { decideRetry } from "../../model/retry.ts";
import { modelStop } from "./model-stop.ts";

/** What went wrong with a request or its reply. */
export type Trouble =
  /** `isBroken`: the reply had begun. `repair`: what the refusal asks for, where that could be told. */
  | { readonly type: "error"; readonly error: ModelError; readonly isBroken: boolean; readonly repair?: RequestRepair | undefined }
  /** The reply was cut at the limit of its length. */
  | { readonly type: "cut"; readonly isRaisable: boolean }
  | { readonly type: "refused"; readonly message: string }
  | { readonly type: "paused" }
  /** The reply holds nothing. */
  | { readonly type: "empty" };

/** What has been tried so far: for one reply, but for `repaired`, which counts for the whole loop. */
export interface RecoveryState {
  /** Failed requests that may pass when they are repeated. */
  readonly failures: number;
  /** Replies that broke off after they had begun. */
  readonly broken: number;
  readonly compactions: number;
  readonly isOutputRaised: boolean;
  /** Cut replies in a row that were continued. */
  readonly continued: number;
  /** Paused replies in a row. */
  readonly pauses: number;
  readonly nudges: number;
  readonly repaired: ReadonlySet<RepairKey>;
}

export const NOTHING_TRIED: RecoveryState = {
  failures: 0,
  broken: 0,
  compactions: 0,
  isOutputRaised: false,
  continued: 0,
  pauses: 0,
  nudges: 0,
  repaired: new Set(),
};

export type Recovery =
  | { readonly type: "retry"; readonly delayMs: number; readonly isWhole: boolean }
  | { readonly type: "compact" }
  | { readonly type: "fallback"; readonly reason: string }
  | { readonly type: "repair"; readonly repair: RequestRepair }
  | { readonly type: "raise_output" }
  /** The reply stays, and the model is told to go on. */
  | { readonly type: "continue"; readonly why: "cut" | "empty" }
  | { readonly type: "resume" }
  | { readonly type: "stop"; readonly stop: StopReason };

export interface RecoveryLimits {
  /** How many requests may be made for one reply with one model. */
  readonly attemptsMax: number;
  /** The longest wait that the service may ask for, in milliseconds. */
  readonly waitMsMax: number;
  /** Whether there is another model to turn to. */
  readonly hasFallback: boolean;
  readonly random: () => number;
}

const COMPACTIONS_MAX = 2;
const CONTINUED_MAX = 3;
const PAUSES_MAX = 5;
const NUDGES_MAX = 1;
/** Replies that broke off before the next one is asked for as a whole. */
const BROKEN_BEFORE_WHOLE = 2;

/** What to do about a trouble. Every answer is bounded by what `state` says was tried before. */
export function decideRecovery(trouble: Trouble, state: RecoveryState, limits: RecoveryLimits): Recovery {
  switch (trouble.type) {
    case "error":
      return recoverFromError(trouble, state, limits);
    case "cut":
      if (trouble.isRaisable && !state.isOutputRaised) return { type: "raise_output" };
      if (state.continued < CONTINUED_MAX) return { type: "continue", why: "cut" };
      return { type: "stop", stop: { type: "output_limit", message: `The model's reply was cut off at the output limit ${state.continued + 1} times in a row` } };
    case "refused":
      return limits.hasFallback ? { type: "fallback", reason: trouble.message } : { type: "stop", stop: { type: "refused", message: trouble.message } };
    case "paused":
      if (state.pauses < PAUSES_MAX) return { type: "resume" };
      return { type: "stop", stop: { type: "output_limit", message: `The model paused its reply ${state.pauses + 1} times in a row without ending it` } };
    case "empty":
      if (state.nudges < NUDGES_MAX) return { type: "continue", why: "empty" };
      return { type: "stop", stop: { type: "end_turn", text: "" } };
  }
}

function recoverFromError({ error, isBroken, repair }: Extract<Trouble, { type: "error" }>, state: RecoveryState, limits: RecoveryLimits): Recovery {
  if (error.class === "too_long") return state.compactions < COMPACTIONS_MAX ? { type: "compact" } : { type: "stop", stop: modelStop(error) };
  if (repair !== undefined && !state.repaired.has(keyOf(repair))) return { type: "repair", repair };
  const retry = decideRetry(error, { attempt: state.failures + 1, attemptsMax: limits.attemptsMax, waitMsMax: limits.waitMsMax, random: limits.random });
  if (retry.retry) return { type: "retry", delayMs: retry.delayMs, isWhole: state.broken + (isBroken ? 1 : 0) >= BROKEN_BEFORE_WHOLE };
  return limits.hasFallback && mayWorkElsewhere(error) ? { type: "fallback", reason: error.message } : { type: "stop", stop: modelStop(error) };
}

/** Another model helps where this one is overloaded, limited or not there; not where the account or the request is refused. */
function mayWorkElsewhere({ class: errorClass }: ModelError): boolean {
  return errorClass === "retryable" || errorClass === "rate_limit" || errorClass === "not_found";
}

/** Each repair is tried once. */
type RepairKey = Exclude<RequestRepair["type"], "drop_parameter"> | `drop_parameter:${OptionalParameter}`;

export function keyOf(repair: RequestRepair): RepairKey {
  return repair.type === "drop_parameter" ? `drop_parameter:${repair.name}` : repair.type;
}
