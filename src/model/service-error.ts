import type { ModelErrorClass } from "../core/agent.ts";
import { classifyFailure, type ServiceFailure } from "./classify-failure.ts";
import { ModelError } from "./client.ts";

/** A request that a service refused or broke off, with what it said about trying again. */
export interface FailedRequest extends ServiceFailure {
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly shouldRetry?: boolean | undefined;
  readonly cause?: unknown;
}

/** An error page can be megabytes long. */
const MESSAGE_LENGTH_MAX = 1_000;

/** The error for a failed request: its class, and a message that says what to do. */
export function serviceError(model: string, failure: FailedRequest): ModelError {
  const errorClass = classifyFailure(failure);
  const { status, type, requestId, retryAfterMs, shouldRetry, cause } = failure;
  const said = failure.message.slice(0, MESSAGE_LENGTH_MAX).toWellFormed();
  const what = [[status, type].filter((part) => part !== undefined).join(" "), said].filter((part) => part !== "");
  const wait = retryAfterMs === undefined ? "" : `; the service asks to wait ${retryAfterMs / 1_000} s`;
  const message = `Cannot get a reply from "${model}": ${what.join(": ")}${wait}${advice(errorClass)}`;
  return new ModelError(errorClass, message, { status, type, said, requestId, retryAfterMs, shouldRetry, cause });
}

function advice(errorClass: ModelErrorClass): string {
  switch (errorClass) {
    case "auth":
      return "; check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN, and what it may use";
    case "billing":
      return "; check the account's credit and limits";
    case "not_found":
      return "; check the model's name and ANTHROPIC_BASE_URL";
    default:
      return "";
  }
}
