import type { Message } from "../core/message.ts";
import type { Thinking } from "../core/thinking.ts";
import type { ModelErrorClass } from "../core/agent.ts";
import type { ModelLimits } from "./model-limits.ts";
import type { OptionalParameter } from "./model-traits.ts";

/** The one interface to every model: the service, a compatible server, a script. */
export interface ModelClient {
  /** How people name the model, as given with `--model` after aliases. */
  readonly model: string;
  readonly limits: ModelLimits;
  /**
   * Streams one reply. Ends after `message_stop`; a stream that ends without it is an error, never a short reply.
   *
   * Throws `ModelError` and nothing else; a replayed model also an `AppError`, where nothing was recorded for a request.
   * Does not retry: `model/retry.ts` does.
   */
  stream(request: ModelRequest, signal: AbortSignal, options?: StreamOptions): AsyncIterable<ModelEvent>;
}

export interface StreamOptions {
  /**
   * Asks for the reply in one piece, for connections on which streams break. Its events are the same and come all at
   * once. False unless given.
   */
  readonly isWhole?: boolean;
}

/** What is sent. Its bytes are the same from turn to turn but for what is appended to `messages`. */
export interface ModelRequest {
  /** Text blocks of the system prompt, stable ones first. */
  readonly system: readonly string[];
  readonly tools: readonly ToolDefinition[];
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  /** What the server was found not to know, and is left out. */
  readonly without?: readonly OptionalParameter[];
  /** Sends the system prompt as one string, for servers that take no list. */
  readonly systemAsText?: true;
  readonly taskBudget?: TaskBudget;
  /** As the model does by itself unless given. */
  readonly thinking?: Thinking;
}

/** How many tokens the model is told to get by with in the whole task, thinking and tool results included. Advice only. */
export interface TaskBudget {
  /** Raised to 20,000, the least that the service takes. */
  readonly total: number;
  /** What is left of it. Only for a conversation that was shortened: the service counts by itself what it can see. */
  readonly remaining?: number;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input, of type `object`. */
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** The events of a reply, as the Messages API streams them; unknown ones are left out by the client. */
export type ModelEvent =
  | { readonly type: "message_start"; readonly usage: WireUsage; readonly requestId?: string }
  | { readonly type: "block_start"; readonly index: number; readonly block: WireBlock }
  | { readonly type: "block_delta"; readonly index: number; readonly delta: WireDelta }
  | { readonly type: "block_stop"; readonly index: number }
  | {
      readonly type: "message_delta";
      readonly stopReason: string | null;
      readonly stopDetails?: StopDetails;
      readonly usage: WireUsage;
    }
  | { readonly type: "message_stop" };

/** A content block as it starts; what it holds arrives in deltas. */
export type WireBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "unknown"; readonly raw: Readonly<Record<string, unknown>> };

export type WireDelta =
  | { readonly type: "text_delta"; readonly text: string }
  | { readonly type: "input_json_delta"; readonly partialJson: string }
  | { readonly type: "thinking_delta"; readonly thinking: string }
  | { readonly type: "signature_delta"; readonly signature: string }
  | { readonly type: "unknown" };

/** Why a reply was refused, where the service says so. */
export interface StopDetails {
  /** The policy that the request met, such as `cyber`. */
  readonly category?: string;
  /** For people; the words may change. */
  readonly explanation?: string;
}

/** Cumulative within a reply; a later event replaces what an earlier one said. */
export interface WireUsage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** The one error that a model client throws. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly class: ModelErrorClass;
  readonly status: number | undefined;
  /** What the service calls the error, and what it says about it: its own words, at most 1,000 characters, no credential. */
  readonly type: string | undefined;
  readonly said: string | undefined;
  readonly requestId: string | undefined;
  /** How long the service asked us to wait. */
  readonly retryAfterMs: number | undefined;
  /** What the service said about another attempt; it goes before what the class would suggest. */
  readonly shouldRetry: boolean | undefined;

  constructor(errorClass: ModelErrorClass, message: string, options: ModelErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.class = errorClass;
    this.status = options.status;
    this.type = options.type;
    this.said = options.said;
    this.requestId = options.requestId;
    this.retryAfterMs = options.retryAfterMs;
    this.shouldRetry = options.shouldRetry;
  }
}

export interface ModelErrorOptions {
  readonly status?: number | undefined;
  readonly type?: string | undefined;
  readonly said?: string | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly shouldRetry?: boolean | undefined;
  readonly cause?: unknown;
}
