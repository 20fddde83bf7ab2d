import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { Stream } from "@anthropic-ai/sdk/core/streaming";
import { errorMessage, systemErrorCode } from "../core/errors.ts";
import { toolUses } from "../core/message.ts";
import { isRecord } from "../lib/is-record.ts";
import { startAttempt, type Attempt } from "./attempt.ts";
import { buildRequest, isSent, type WireRequest } from "./build-request.ts";
import { markCacheBreakpoints } from "./cache-breakpoints.ts";
import { ModelError, type ModelClient, type ModelEvent, type ModelRequest } from "./client.ts";
import type { ModelEndpoint } from "./credentials.ts";
import { readErrorBody } from "./error-body.ts";
import { modelLimits } from "./model-limits.ts";
import { createReplyReader } from "./reply-reader.ts";
import { parseRetryAfter } from "./retry-after.ts";
import { serviceError } from "./service-error.ts";
import type { SilenceLimits } from "./stream-watchdog.ts";
import { wholeReplyEvents } from "./whole-reply.ts";

/** The part of `fetch` that requests need. */
export type ModelFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface AnthropicModelOptions {
  /** Model id, after aliases. */
  readonly model: string;
  readonly endpoint: ModelEndpoint;
  /** The built-in `fetch` unless given. */
  readonly fetch?: ModelFetch;
  /** What suits the endpoint and the kind of request unless given. */
  readonly silence?: SilenceLimits;
}

/** The service itself sends pings while it works; 90 s without one means that the connection is dead. */
const OFFICIAL_SILENCE: SilenceLimits = { silentMs: 90_000, pingsOnlyMs: 300_000 };
/** A local server says nothing while it reads a long prompt. */
const COMPATIBLE_SILENCE: SilenceLimits = { silentMs: 300_000, pingsOnlyMs: 300_000 };
/** A reply in one piece says nothing until it is complete; so long the service takes at most. */
const WHOLE_SILENCE: SilenceLimits = { silentMs: 600_000, pingsOnlyMs: 600_000 };
/** What has to be asked for before the service knows budgets. */
const TASK_BUDGET_BETA = "task-budgets-2026-03-13";
/** How long the end of the stream may take once the reply is complete. Reading it to the end keeps the connection usable. */
const STREAM_END_GRACE_MS = 500;

/**
 * A client of the Messages API: the service or a compatible server. One HTTP request per `stream`, never a second one.
 * Nothing is read from the process's environment but what the SDK takes for extra headers.
 */
export function openAnthropicModel(options: AnthropicModelOptions): ModelClient {
  const { model, endpoint } = options;
  const streamSilence = endpoint.isOfficial ? OFFICIAL_SILENCE : COMPATIBLE_SILENCE;
  const sdk = openSdk(options);
  return {
    model,
    limits: modelLimits(model),
    async *stream(request, signal, { isWhole = false } = {}) {
      const attempt = startAttempt(signal, options.silence ?? (isWhole ? WHOLE_SILENCE : streamSilence));
      try {
        const response = await send(sdk, { ...wireRequest(model, request), stream: !isWhole }, attempt.signal);
        yield* readReply(response, request, attempt);
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

function wireRequest(model: string, request: ModelRequest): WireRequest {
  const body = buildRequest(model, request);
  return isSent(model, request, "cache_control") ? markCacheBreakpoints(body) : body;
}

function send(sdk: Anthropic, body: WireRequest, signal: AbortSignal): Promise<Response> {
  const headers = body.output_config?.task_budget === undefined ? {} : { "anthropic-beta": TASK_BUDGET_BETA };
  // With a time limit of its own no request is refused for what it might take; a limit that ends in silence is ours.
  return sdk.messages.create(body, { signal, headers, timeout: WHOLE_SILENCE.silentMs }).asResponse();
}

async function* readReply(response: Response, request: ModelRequest, attempt: Attempt): AsyncGenerator<ModelEvent> {
  const requestId = response.headers.get("request-id") ?? undefined;
  const reader = createReplyReader({ requestId, takenIds: callIds(request) });
  const events = wireEvents(response);
  for await (const event of events) {
    const read = event === undefined ? [] : reader.read(event);
    if (read.length === 0) {
      attempt.watchdog.heardPing();
      continue;
    }
    attempt.watchdog.pause();
    yield* read;
    if (read.at(-1)?.type === "message_stop") return await readToEnd(events, attempt);
    attempt.watchdog.restart();
  }
  throw new ModelError("retryable", "The reply ended before it was complete", { requestId });
}

function callIds({ messages }: ModelRequest): string[] {
  return messages.flatMap((message) => (message.role === "assistant" ? toolUses(message).map(({ id }) => id) : []));
}

/**
 * The events of a reply before anybody looked at them; undefined for one that says nothing. Some servers send a stream or
 * one object, whatever they were asked for, and a proxy or a web server in the place of the service sends a page.
 */
async function* wireEvents(response: Response): AsyncGenerator<Readonly<Record<string, unknown>> | undefined> {
  const type = response.headers.get("content-type")?.toLowerCase() ?? "nothing";
  if (type.startsWith("text/event-stream")) {
    // The raw events, because the SDK's own stream hides pings and takes an end without `message_stop` for success.
    for await (const { event, data } of Stream.rawEvents(response)) {
      yield data === "" ? undefined : parseEvent(data, event, response.headers);
    }
    return;
  }
  if (type.startsWith("application/json")) {
    const message = parseEvent(await response.text(), undefined, response.headers);
    const { content } = message;
    if (Array.isArray(content)) return yield* wholeReplyEvents(message, content);
  }
  throw new ModelError(
    "invalid",
    `Cannot read the reply: "${response.url}" sent "${type}" instead of an event stream; check ANTHROPIC_BASE_URL`,
    { status: response.status },
  );
}

function parseEvent(data: string, name: string | null | undefined, headers: Headers): Readonly<Record<string, unknown>> {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch (error) {
    throw new ModelError("retryable", `Cannot read the reply: ${errorMessage(error)}`, { cause: error });
  }
  if (!isRecord(event)) throw new ModelError("retryable", "Cannot read the reply: an event is no object");
  if (event["type"] === "error" || name === "error") throw new APIError(undefined, event, undefined, headers);
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
    const { status, headers, requestID } = error;
    const body = readErrorBody(error.error);
    return serviceError(model, {
      status,
      type: body.type,
      message: (body.message ?? error.message).replaceAll(endpoint.credential.value, "[credential]"),
      requestId: requestID ?? body.requestId,
      ...(headers !== undefined && { retryAfterMs: parseRetryAfter(headers, Date.now()), shouldRetry: shouldRetry(headers) }),
      cause: error,
    });
  }
  const cause = error instanceof APIConnectionError && error.cause !== undefined ? error.cause : error;
  const reason = systemErrorCode(cause) ?? errorMessage(cause);
  return new ModelError("retryable", `Cannot reach "${endpoint.baseUrl}": ${reason}`, { cause: error });
}

function shouldRetry(headers: Headers): boolean | undefined {
  const said = headers.get("x-should-retry");
  return said === "true" ? true : said === "false" ? false : undefined;
}
