import { isRecord } from "../lib/is-record.ts";

/** What the body of a refusal says. */
export interface ErrorBody {
  readonly message?: string;
  readonly type?: string;
  readonly requestId?: string;
}

/**
 * Reads a refusal of the service (`error.message`, `error.type`, `request_id`), or of a server that only resembles it: an
 * `error` that is text, or `message` or `detail` at the top, which need not be text either.
 */
export function readErrorBody(body: unknown): ErrorBody {
  if (!isRecord(body)) return {};
  const { error, message, detail, request_id: requestId } = body;
  const said = isRecord(error) ? (error["message"] ?? error["detail"]) : (error ?? message ?? detail);
  const type = isRecord(error) ? error["type"] : undefined;
  return {
    ...(said !== undefined && said !== null && { message: typeof said === "string" ? said : JSON.stringify(said) }),
    ...(typeof type === "string" && { type }),
    ...(typeof requestId === "string" && { requestId }),
  };
}
