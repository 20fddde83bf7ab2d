import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { Stream } from "@anthropic-ai/sdk/core/streaming";
import { errorMessage, systemErrorCode } from "../core/errors.ts";
import { isRecord } from "../lib/is-record.ts";
import { startAttempt, type Attempt } from "./attempt.ts";
import { buildRequest } from "./build-request.ts";
import { markCacheBreakpoints } from "./cache-breakpoints.ts";
import { ModelError, type ModelClient, type ModelEvent } from "./client.ts";
import type { ModelEndpoint } from "./credentials.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { serviceError } from "./service-error.ts";
import type { SilenceLimits } from "./stream-watchdog.ts";
import { toModelEvent } from "./wire-events.ts";

/** The part of `fetch` that requests need. */
export type ModelFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface AnthropicModelOptions {
  /** Model id, after aliases. */
  readonly model: string;
  readonly endpoint: ModelEndpoint;
  /** The built-in `fetch` unless given. */
  readonly fetch?: ModelFetch;
  readonly silence?: SilenceLimits;
}

/** The service itself sends pings while it works; 90 s without one means that the connection is dead. */
const OFFICIAL_SILENCE: SilenceLimits = { silentMs: 90_000, pingsOnlyMs: 300_000 };
/** A local server says nothing while it reads a long prompt. */
const COMPATIBLE_SILENCE: SilenceLimits = { silentMs: 300_000, pingsOnlyMs: 300_000 };
/** How long the end of the stream may take once the reply is complete. Reading it to the end keeps the connection usable. */
const STREAM_END_GRACE_MS = 500;

/**
 * A client of the Messages API: the service or a compatible server. One HTTP request per `stream`, never a second one.
 * Nothing is read from the process's environment but what the SDK takes for extra headers.
 */
export function openAnthropicModel(options: AnthropicModelOptions): ModelClient {
  const { model, endpoint } = options;
  const silence = options.silence ?? (endpoint.isOfficial ? OFFICIAL_SILENCE : COMPATIBLE_SILENCE);
  const sdk = openSdk(options);
  return {
    model,
    async *stream(request, signal) {
      const attempt = startAttempt(signal, silence);
      try {
        yield* readReply(sdk, markCacheBreakpoints(buildRequest(model, request)), attempt);
      } catch (error) {
        throw toModelError(error, attempt, options);
      } finally {
        attempt.dispose();
      }
    },
  };
}

/** Every value that the SDK would otherwise look up in the environment is given. */
function openSdk({ endpoint, fetch }: AnthropicModelOptions): Anthropic {
  const { type, value } = endpoint.credential;
  return new Anthropic({
    apiKey: type === "api_key" ? value : null,
    authToken: type === "auth_token" ? value : null,
    webhookKey: null,
    baseURL: endpoint.baseUrl,
    maxRetries: 0,
    logLevel: "off",
    openTelemetry: false,
    // Following a redirect would carry the credential to wherever it points.
    fetchOptions: { redirect: "manual" },
    ...(fetch !== undefined && { fetch }),
  });
}

async function* readReply(
  sdk: Anthropic,
  body: Anthropic.MessageCreateParamsStreaming,
  attempt: Attempt,
): AsyncGenerator<ModelEvent> {
  const response = await sdk.messages.create(body, { signal: attempt.signal }).asResponse();
  requireEventStream(response);
  const requestId = response.headers.get("request-id") ?? undefined;
  // The raw events, because the SDK's own stream hides pings and takes an end without `message_stop` for success.
  const events = Stream.rawEvents(response);
  for await (const { data } of events) {
    const event = data === "" ? undefined : toModelEvent(parseEvent(data, response.headers), requestId);
    if (event === undefined) {
      attempt.watchdog.heardPing();
      continue;
    }
    attempt.watchdog.pause();
    yield event;
    if (event.type === "message_stop") return await readToEnd(events, attempt);
    attempt.watchdog.restart();
  }
  throw new ModelError("retryable", "The reply ended before it was complete", { requestId });
}

/** A proxy or a web server in the place of the service answers with a page. */
function requireEventStream(response: Response): void {
  const type = response.headers.get("content-type") ?? "nothing";
  if (type.startsWith("text/event-stream")) return;
  throw new ModelError(
    "invalid",
    `Cannot read the reply: "${response.url}" sent "${type}" instead of an event stream; check ANTHROPIC_BASE_URL`,
    { status: response.status },
  );
}

function parseEvent(data: string, headers: Headers): Readonly<Record<string, unknown>> {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch (error) {
    throw new ModelError("retryable", `Cannot read the reply: ${errorMessage(error)}`, { cause: error });
  }
  if (!isRecord(event)) throw new ModelError("retryable", "Cannot read the reply: an event is no object");
  if (event["type"] === "error") throw new APIError(undefined, event, undefined, headers);
  return event;
}

/** The reply is complete: what happens from here on must not spoil it. */
async function readToEnd(events: AsyncIterable<unknown>, attempt: Attempt): Promise<void> {
  const timer = setTimeout(attempt.cancel, STREAM_END_GRACE_MS);
  try {
    for await (const _event of events);
  } catch {
    // Cut off by the timer, by a stop, or by the other end.
  } finally {
    clearTimeout(timer);
  }
}

function toModelError(error: unknown, attempt: Attempt, { model, endpoint }: AnthropicModelOptions): ModelError {
  if (error instanceof ModelError) return error;
  if (attempt.isAborted()) return new ModelError("aborted", "The request was stopped", { cause: error });
  const silentForMs = attempt.silentForMs();
  if (silentForMs !== undefined) {
    return new ModelError("retryable", `The model was silent for ${silentForMs / 1_000} s`, { cause: error });
  }
  if (error instanceof APIError && !(error instanceof APIConnectionError)) {
    const { status, headers, type, requestID, apiMessage } = error;
    return serviceError(model, {
      status,
      type: type ?? undefined,
      message: (apiMessage ?? error.message).replaceAll(endpoint.credential.value, "[credential]"),
      requestId: requestID ?? bodyRequestId(error.error),
      ...(headers !== undefined && { retryAfterMs: parseRetryAfter(headers, Date.now()), shouldRetry: shouldRetry(headers) }),
      cause: error,
    });
  }
  const cause = error instanceof APIConnectionError && error.cause !== undefined ? error.cause : error;
  const reason = systemErrorCode(cause) ?? errorMessage(cause);
  return new ModelError("retryable", `Cannot reach "${endpoint.baseUrl}": ${reason}`, { cause: error });
}

/** An error inside a stream names the request in its body. */
function bodyRequestId(body: unknown): string | undefined {
  const id = isRecord(body) ? body["request_id"] : undefined;
  return typeof id === "string" ? id : undefined;
}

function shouldRetry(headers: Headers): boolean | undefined {
  const said = headers.get("x-should-retry");
  return said === "true" ? true : said === "false" ? false : undefined;
}
