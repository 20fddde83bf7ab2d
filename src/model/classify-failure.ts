import type { ModelErrorClass } from "../core/agent.ts";
import { outputRoom } from "./output-room.ts";

/** What a service says of a request that it did not answer. */
export interface ServiceFailure {
  /** HTTP status; absent for an error inside a stream. */
  readonly status?: number | undefined;
  /** `error.type` of the body. */
  readonly type?: string | undefined;
  readonly message: string;
}

/**
 * What can be done about a failure. The type goes before the status, because an error inside a stream has no status
 * and a spending limit can come as 400 or 429.
 */
export function classifyFailure(failure: ServiceFailure): ModelErrorClass {
  const byType = failure.type === undefined ? undefined : CLASS_BY_TYPE[failure.type];
  const found = byType ?? classByStatus(failure.status);
  return found === "invalid" ? classByMessage(failure.message) : found;
}

const CLASS_BY_TYPE: Readonly<Partial<Record<string, ModelErrorClass>>> = {
  authentication_error: "auth",
  permission_error: "auth",
  billing_error: "billing",
  not_found_error: "not_found",
  request_too_large: "too_long",
  rate_limit_error: "rate_limit",
  overloaded_error: "retryable",
  api_error: "retryable",
  timeout_error: "retryable",
  invalid_request_error: "invalid",
};

function classByStatus(status: number | undefined): ModelErrorClass {
  switch (status) {
    case undefined:
    case 408:
    case 409:
      return "retryable";
    case 401:
    case 403:
      return "auth";
    case 402:
      return "billing";
    case 404:
      return "not_found";
    case 413:
      return "too_long";
    case 429:
      return "rate_limit";
    default:
      return status >= 500 ? "retryable" : "invalid";
  }
}

/**
 * Two refusals can be told from other invalid requests by nothing but their words. A conversation that fits and only
 * leaves less room for the reply than was asked for is not too long.
 */
function classByMessage(message: string): ModelErrorClass {
  if (outputRoom(message) !== undefined) return "invalid";
  if (/prompt is too long|context (window|length|limit|size)/i.test(message)) return "too_long";
  if (/credit balance|spend(ing)? limit|usage limits/i.test(message)) return "billing";
  return "invalid";
}
