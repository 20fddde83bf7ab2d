import { abortableSleep } from "../../../src/lib/abortable-sleep.ts";
import type { Answer, Refusal, Reply } from "./answer.ts";
import { errorResponse } from "./error-response.ts";
import { eventFrames } from "./event-frames.ts";
import type { Fault } from "./fault.ts";
import { headerFault } from "./header-rules.ts";
import { createIssuedReplies } from "./issued-replies.ts";
import { DEFAULT_MODEL_RULES, type ModelRules } from "./model-rules.ts";
import { promptTokens } from "./prompt-blocks.ts";
import { createPromptCache } from "./prompt-cache.ts";
import { readBody } from "./read-body.ts";
import { replyEvents } from "./reply-events.ts";
import { replyStream, resetStream } from "./reply-stream.ts";
import { checkRequest, type CheckedRequest } from "./check-request.ts";
import { createRequestLog, type LogEntry, type LoggedRequest } from "./request-log.ts";
import { toSentMessage } from "./sent-message.ts";

/** The service takes no more. */
const BODY_BYTES_MAX = 32 * 1024 * 1024;

export interface MessagesApiOptions {
  /**
   * One answer for each request that is accepted, in the order of their arrival, or what answers all of them; a function
   * can tell apart the agents that ask at the same time. A list that is used up answers 500 with `x-should-retry: false`,
   * which counts as a refusal.
   *
   * @param index counts accepted requests from 0
   */
  readonly script: readonly Answer[] | ((request: LoggedRequest, index: number) => Answer | Promise<Answer>);
  /** For all models; what is left out is as in `DEFAULT_MODEL_RULES`. */
  readonly rules?: Partial<ModelRules>;
  /** For single models, before `rules`. */
  readonly modelRules?: Readonly<Record<string, Partial<ModelRules>>>;
  /** The only key or token that is accepted; any unless given. */
  readonly credential?: string;
  /** Whether thinking that this server did not issue is taken for valid; it is not unless told. */
  readonly acceptsForeignThinking?: boolean;
  /** An error in the place of a count; the count unless given. */
  readonly countTokens?: (request: LoggedRequest) => Refusal | undefined;
  /** Milliseconds, for the life of cache entries; the clock of the machine unless given. */
  readonly now?: () => number;
}

export interface MessagesApi extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Every request in the order of arrival, refused ones and counts too. */
  readonly requests: readonly LoggedRequest[];
  /** What a child needs in its environment to talk to this server and to no other. */
  env(): { readonly ANTHROPIC_BASE_URL: string; readonly ANTHROPIC_API_KEY: string };
  /** One line for each request that was refused: its number, path, status and why. */
  refusals(): readonly string[];
  /** Throws with all refusals when there is one. */
  expectNoRefusals(): void;
  /** Ends the server with everything that it still answers, stalls too. */
  stop(): Promise<void>;
}

/**
 * A Messages API on the loopback interface that says what a script tells it, and refuses what the service refuses: the
 * shape of requests, calls without results, altered thinking, prefixes under thinking that changed, and what a model does
 * not support. It keeps account of the prompt cache. Refused requests use nothing of the script up.
 */
export function startMessagesApi(options: MessagesApiOptions): MessagesApi {
  const log = createRequestLog();
  const issued = createIssuedReplies(options.acceptsForeignThinking ?? false);
  const cache = createPromptCache(options.now ?? Date.now);
  const stopped = new AbortController();
  let accepted = 0;

  const rulesOf = (model: unknown): ModelRules => ({ ...DEFAULT_MODEL_RULES, ...options.rules, ...options.modelRules?.[String(model)] });

  function refuse(entry: LogEntry, fault: Fault, headers: Readonly<Record<string, string>> = {}): Response {
    entry.refused = fault;
    return respondWith(entry, { ...fault, headers });
  }

  function respondWith(entry: LogEntry, refusal: Refusal): Response {
    entry.status = refusal.status;
    log.close(entry);
    return errorResponse(refusal, requestId(entry));
  }

  async function answer(entry: LogEntry, incoming: Request): Promise<Response> {
    const isCount = entry.path === "/v1/messages/count_tokens";
    if (incoming.method !== "POST" || !(isCount || entry.path === "/v1/messages")) return refuse(entry, { status: 404, type: "not_found_error", message: "Not found" });
    const bytes = await incoming.bytes();
    entry.text = new TextDecoder().decode(bytes);
    const unheard = headerFault(entry.headers, options.credential);
    if (unheard !== undefined) return refuse(entry, unheard);
    if (bytes.length > BODY_BYTES_MAX) return refuse(entry, { status: 413, type: "request_too_large", message: "Request exceeds the maximum size" });
    const read = readBody(bytes);
    if ("fault" in read) return refuse(entry, read.fault);
    entry.body = read.body;
    const result = checkRequest(read.body, { headers: entry.headers, isCount, rules: rulesOf(read.body["model"]), issued });
    if ("fault" in result) return refuse(entry, result.fault);
    return isCount ? count(entry, result.checked) : await follow(entry, result.checked, AbortSignal.any([stopped.signal, incoming.signal]));
  }

  function count(entry: LogEntry, { prompt }: CheckedRequest): Response {
    const refusal = options.countTokens?.(entry);
    if (refusal !== undefined) return respondWith(entry, refusal);
    entry.status = 200;
    log.close(entry);
    return Response.json({ input_tokens: promptTokens(prompt) }, { headers: { "request-id": requestId(entry) } });
  }

  async function follow(entry: LogEntry, checked: CheckedRequest, over: AbortSignal): Promise<Response> {
    const { script } = options;
    const index = accepted++;
    const next = typeof script === "function" ? await script(entry, index) : script[index];
    if (next === undefined) {
      return refuse(entry, { status: 500, type: "api_error", message: `The script has no answer ${index + 1}` }, { "x-should-retry": "false" });
    }
    if (next.latencyMs !== undefined) await abortableSleep(next.latencyMs, over);
    return "status" in next ? respondWith(entry, next) : send(entry, next, checked);
  }

  function send(entry: LogEntry, reply: Reply, { prompt, thinking }: CheckedRequest): Response {
    const { faults = {} } = reply;
    if (faults.resetBeforeHeaders === true) {
      log.close(entry);
      return new Response(resetStream());
    }
    const model = String(entry.body["model"]);
    const account = cache.account(prompt, rulesOf(model).cacheTokensMin);
    const message = toSentMessage(reply, { number: entry.number, model, cacheUsage: account.usage, dropped: thinking.dropped.map((each) => ({ ...each })) });
    issued.remember(thinking, { model, blocks: message.content, isPaused: message.stop_reason === "pause_turn" });
    entry.status = 200;
    entry.usage = message.usage;
    const isStream = entry.body["stream"] === true;
    const frames = isStream
      ? eventFrames(replyEvents(message, reply), faults, requestId(entry))
      : [{ bytes: new TextEncoder().encode(JSON.stringify(message)), delayMs: 0 }];
    const body = replyStream(frames, { breakOff: faults.breakOff, stopped: stopped.signal, onFirstByte: account.began, onEnd: () => log.close(entry) });
    const type = isStream ? "text/event-stream; charset=utf-8" : "application/json";
    return new Response(body, { headers: { "content-type": type, "request-id": requestId(entry), ...reply.headers } });
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    maxRequestBodySize: 4 * BODY_BYTES_MAX,
    fetch(incoming) {
      return answer(log.open(incoming), incoming);
    },
  });

  const refusals = () => log.entries.flatMap(({ number, path, status, refused }) => (refused === undefined ? [] : [`${number} ${path} ${status}: ${refused.message}`]));

  async function stop(): Promise<void> {
    stopped.abort();
    await server.stop(true);
  }

  return {
    url: server.url.origin,
    port: Number(server.url.port),
    requests: log.entries,
    env: () => ({ ANTHROPIC_BASE_URL: server.url.origin, ANTHROPIC_API_KEY: options.credential ?? "sk-ant-test" }),
    refusals,
    expectNoRefusals() {
      const found = refusals();
      if (found.length > 0) throw new Error(`The service would have refused ${found.length} requests:\n${found.join("\n")}`);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function requestId({ number }: LoggedRequest): string {
  return `req_${number}`;
}
