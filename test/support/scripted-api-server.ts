import { isRecord } from "../../src/lib/is-record.ts";
import {
  encodeEvent,
  replyEvents,
  sse,
  stopReasonOf,
  type ApiFault,
  type ApiRefusal,
  type ApiReply,
  type ApiUsage,
} from "./api-reply.ts";
import { requestFault } from "./api-rules.ts";

/** A request as it arrived. */
export interface ApiRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of the body, as text. */
  readonly text: string;
  /** The parsed body; empty where it was no JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the other end went away before the reply was whole. */
  readonly isAborted: boolean;
  /** The connection that the request came over: the port of its other end. */
  readonly connection: number;
}

export type ApiTurn = ApiReply | ApiRefusal | ((request: ApiRequest) => ApiReply | ApiRefusal | Promise<ApiReply | ApiRefusal>);

export interface ScriptedApi extends AsyncDisposable {
  /** For ANTHROPIC_BASE_URL. */
  readonly url: string;
  /** Every request, refused ones too. */
  readonly requests: readonly ApiRequest[];
}

export interface ScriptedApiOptions {
  /** One for each valid request, in order; or what answers all of them. */
  readonly turns: readonly ApiTurn[] | ((request: ApiRequest, index: number) => ApiReply | ApiRefusal | Promise<ApiReply | ApiRefusal>);
  /** Counted from the bytes of request and reply unless given. */
  readonly usageOf?: (request: ApiRequest, answer: ApiReply) => ApiUsage;
  readonly pingEveryMs?: number;
}

/**
 * A Messages API on the loopback interface that says what a test wrote down. It refuses whatever the service would
 * refuse for its shape with 400 and the reason, without using up a turn, so that a test of any part of the program is
 * also a test of its requests.
 */
export function startScriptedApi(options: ScriptedApiOptions): ScriptedApi {
  const requests: ApiRequest[] = [];
  let answered = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(incoming) {
      const request = await record(incoming, server.requestIP(incoming)?.port ?? 0);
      requests.push(request);
      const fault = refusalFor(incoming, request);
      if (fault !== undefined) return refuse(fault, requests.length);
      const index = answered++;
      const turn = typeof options.turns === "function" ? await options.turns(request, index) : options.turns[index];
      const answer = typeof turn === "function" ? await turn(request) : turn;
      if (answer === undefined) return refuse({ status: 500, type: "api_error", message: `The test has no turn ${index + 1}` }, requests.length);
      if ("status" in answer) return refuse(answer, requests.length);
      await Bun.sleep(answer.delayMs ?? 0);
      return respond(request, answer, { ...options, id: String(requests.length) });
    },
  });
  return {
    url: server.url.origin,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

async function record(incoming: Request, connection: number): Promise<ApiRequest> {
  const text = await incoming.text();
  const body = parseBody(text);
  return {
    path: new URL(incoming.url).pathname,
    headers: Object.fromEntries(incoming.headers),
    text,
    body: isRecord(body) ? body : {},
    connection,
    get isAborted() {
      return incoming.signal.aborted;
    },
  };
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusalFor(incoming: Request, { path, headers, text }: ApiRequest): ApiRefusal | undefined {
  if (incoming.method !== "POST" || path !== "/v1/messages") return { status: 404, type: "not_found_error", message: "Not found" };
  const hasKey = headers["x-api-key"] !== undefined;
  const hasToken = headers["authorization"]?.startsWith("Bearer ") === true;
  if (hasKey === hasToken) return { status: 401, type: "authentication_error", message: "exactly one of x-api-key and authorization is needed" };
  if (headers["anthropic-version"] === undefined) return { status: 400, type: "invalid_request_error", message: "anthropic-version: header is required" };
  const fault = requestFault(parseBody(text));
  return fault === undefined ? undefined : { status: 400, type: "invalid_request_error", message: fault };
}

function refuse({ status, type = "api_error", message = "", body, headers }: ApiRefusal, number: number): Response {
  const id = requestId(number);
  const error = { type: "error", error: { type, message }, request_id: id };
  return new Response(body ?? JSON.stringify(error), {
    status,
    headers: { "content-type": "application/json", "request-id": id, ...headers },
  });
}

function respond(request: ApiRequest, answer: ApiReply, options: ScriptedApiOptions & { readonly id: string }): Response {
  const usage = { ...(options.usageOf ?? countUsage)(request, answer), ...answer.usage };
  const model = String(request.body["model"]);
  const id = `msg_${options.id}`;
  const headers = { "request-id": requestId(options.id), ...answer.headers };
  if (request.body["stream"] !== true) {
    const message = { id, type: "message", role: "assistant", model, content: answer.blocks, stop_reason: stopReasonOf(answer), stop_sequence: null, usage };
    return Response.json(message, { headers });
  }
  const events = replyEvents(answer, { id, model, usage }).map(encodeEvent);
  const body = answer.fault === undefined ? streamOf(events) : faultyStream(events, answer.fault, options.pingEveryMs ?? 5);
  return new Response(body, { headers: { "content-type": "text/event-stream", ...headers } });
}

function requestId(number: number | string): string {
  return `req_${number}`;
}

/** Four bytes a token, and nothing cached. */
function countUsage(request: ApiRequest, answer: ApiReply): ApiUsage {
  return {
    input_tokens: Math.ceil(request.text.length / 4),
    output_tokens: Math.ceil(JSON.stringify(answer.blocks).length / 4),
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
}

function streamOf(events: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const event of events) controller.enqueue(encoder.encode(event));
      controller.close();
    },
  });
}

function faultyStream(events: readonly string[], fault: ApiFault, pingEveryMs: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const sent = encoder.encode(events.slice(0, fault.afterEvents).join("")).slice(0, fault.afterBytes);
  let pings: Timer | undefined;
  return new ReadableStream({
    start(controller) {
      if (sent.length > 0) controller.enqueue(sent);
      switch (fault.kind) {
        case "silence":
          return;
        case "pings":
          pings = setInterval(() => controller.enqueue(encoder.encode(encodeEvent(sse({ type: "ping" })))), pingEveryMs);
          return;
        case "end":
          controller.close();
          return;
        case "reset":
          // What was sent has to arrive first. Without a reason nothing is written to the test's stderr.
          setTimeout(() => controller.error(undefined), 10);
          return;
        default:
          controller.enqueue(encoder.encode(encodeEvent(sse({ type: "error", error: fault.kind, request_id: "req_in_stream" }))));
          controller.close();
      }
    },
    cancel: () => clearInterval(pings),
  });
}
