import type { ModelFailure, StopReason } from "../core/agent.ts";
import type { ExitReason } from "../core/exit-code.ts";
import type { PermissionDenial } from "../core/permission.ts";
import { NO_USAGE, type Usage } from "../core/usage.ts";
import { RETRY_AFTER_MAX_MS } from "../model/retry.ts";
import { assertNever } from "../lib/assert-never.ts";
import { runStopOf } from "./run-request.ts";

/** What the work of a run came to, before children are counted. */
export interface RunOutcome {
  readonly reason: ExitReason;
  /** The answer, or what there was of it. */
  readonly text: string;
  /** The answer that fits the schema of the run; then `text` is the same as JSON. */
  readonly structuredOutput?: { readonly value: unknown };
  readonly error?: RunError;
  readonly turnCount: number;
  readonly usage: Usage;
  readonly usageByModel: Readonly<Record<string, Usage>>;
  readonly apiDurationMs: number;
  /** US dollars; null where a price is not known. */
  readonly costUsd: number | null;
  readonly costUsdByModel: Readonly<Record<string, number | null>>;
  readonly isCostEstimated: boolean;
  readonly denials: readonly PermissionDenial[];
}

export interface RunError {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly requestId: string | null;
}

export const NO_WORK: Omit<RunOutcome, "reason"> = {
  text: "",
  turnCount: 0,
  usage: NO_USAGE,
  usageByModel: {},
  apiDurationMs: 0,
  costUsd: 0,
  costUsdByModel: {},
  isCostEstimated: false,
  denials: [],
};

export function runError(code: string, message: string, options: { readonly retryable?: boolean; readonly requestId?: string } = {}): RunError {
  return { code, message, retryable: options.retryable ?? false, requestId: options.requestId ?? null };
}

/**
 * The exit reason of a loop's end.
 *
 * @param run.turnsHint what allows more turns; nothing unless given
 * @param run.waitMsMax how long a limit of the service was waited for
 * @param run.wasDeniedLast whether a call was refused in the last turn that made calls: such a run is not a success, however
 *   contented its last message sounds
 */
export function exitForStop(stop: StopReason, { wasDeniedLast, waitMsMax, turnsHint }: { readonly wasDeniedLast: boolean; readonly waitMsMax?: number | undefined; readonly turnsHint?: string }): { readonly reason: ExitReason; readonly error?: RunError } {
  switch (stop.type) {
    case "end_turn":
      return wasDeniedLast
        ? { reason: "permission_denied", error: runError("permission_denied", "A tool call in the last turn that made calls was refused") }
        : { reason: "ok" };
    case "max_turns":
      return { reason: "max_turns", error: runError("max_turns", `Stopped after ${stop.maxTurns} turns${turnsHint === undefined ? "" : `; ${turnsHint}`}`) };
    case "aborted": {
      const { reason, code = reason, message } = runStopOf(stop.reason);
      return { reason, error: runError(code, message) };
    }
    case "no_answer":
      return { reason: "failed", error: runError("no_answer", stop.message) };
    case "refused":
      return { reason: "failed", error: runError("refused", stop.message) };
    case "output_limit":
      return { reason: "failed", error: runError("output_limit", stop.message) };
    case "budget":
      return { reason: "budget", error: runError(`budget_${stop.scope}`, stop.message) };
    case "permission_denied":
      return { reason: "permission_denied", error: runError("permission_denied", stop.message) };
    case "denial_limit":
      return { reason: "permission_denied", error: runError("denial_limit", stop.message) };
    case "model_error": {
      const { error } = stop;
      const retryable = error.class === "retryable" || error.class === "rate_limit";
      const options = error.requestId === undefined ? { retryable } : { retryable, requestId: error.requestId };
      return { reason: exitForModelError(error, waitMsMax ?? RETRY_AFTER_MAX_MS), error: runError(error.class, error.message, options) };
    }
    default:
      return assertNever(stop, "stop reason");
  }
}

function exitForModelError(error: ModelFailure, waitMsMax: number): ExitReason {
  switch (error.class) {
    case "auth":
      return "auth";
    case "rate_limit":
      // A limit that resets later than we wait for is worth another try later on; one that did not say so is an outage.
      return (error.retryAfterMs ?? 0) > Math.min(waitMsMax, RETRY_AFTER_MAX_MS) ? "retry_later" : "api_unavailable";
    case "retryable":
    case "too_long":
      return "api_unavailable";
    case "invalid":
    case "not_found":
    case "billing":
    case "script":
    case "aborted":
      return "failed";
    default:
      return assertNever(error.class, "model error class");
  }
}
