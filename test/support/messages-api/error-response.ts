import type { Refusal } from "./answer.ts";

/** An error as the service sends it, or whatever the script puts in its place. */
export function errorResponse({ status, type = "api_error", message = "", body, headers = {} }: Refusal, requestId: string): Response {
  const sent = new Headers({ "content-type": "application/json", "request-id": requestId });
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) sent.delete(name);
    else sent.set(name, value);
  }
  const error = { type: "error", error: { type, message }, request_id: sent.get("request-id") };
  return new Response(body ?? JSON.stringify(error), { status, headers: sent });
}
