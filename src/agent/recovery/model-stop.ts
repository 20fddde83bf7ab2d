import type { StopReason } from "../../core/agent.ts";
import type { ModelError } from "../../model/client.ts";

/** The end of a loop by a request that failed for good. */
export function modelStop(error: ModelError): StopReason {
  return {
    type: "model_error",
    error: {
      class: error.class,
      message: error.message,
      ...(error.status === undefined ? {} : { status: error.status }),
      ...(error.requestId === undefined ? {} : { requestId: error.requestId }),
      ...(error.retryAfterMs === undefined ? {} : { retryAfterMs: error.retryAfterMs }),
    },
  };
}
