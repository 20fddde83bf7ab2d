import type { Json } from "./json.ts";

/** What the server says to one request. Plain data all through, so that a script can come from a file. */
export type Answer = Reply | Refusal;

/** A block of a reply; any other type is sent as it stands, for kinds that only a newer service has. */
export type ReplyBlock =
  | { readonly type: "text"; readonly text: string }
  /** In a stream `inputJson` takes the place of the JSON of the input, for input that was cut short or is none. */
  | { readonly type: "tool_use"; readonly id?: string; readonly name: string; readonly input: unknown; readonly inputJson?: string }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature?: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: `${"server_" | "x_"}${string}`; readonly [member: string]: unknown };

/** A reply. Ids and signatures that are left out are made up by the server, and differ from all others. */
export interface Reply {
  readonly content: readonly ReplyBlock[];
  /** Any string; `tool_use` or `end_turn` unless given. */
  readonly stopReason?: string;
  readonly stopSequence?: string;
  /** Goes with the stop reason `refusal`. */
  readonly stopDetails?: Json;
  /** Takes the place of single numbers that were counted; null is sent as null. */
  readonly usage?: Json;
  /** `msg_N` unless given. */
  readonly id?: string;
  /** The requested model unless given. */
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Characters in one delta; 16 unless given. */
  readonly chunkChars?: number;
  /** How long the headers are held back; 0 unless given. */
  readonly latencyMs?: number;
  readonly faults?: ReplyFaults;
}

/** A response without a reply: an error of the service's form, a redirect, or any body at all. */
export interface Refusal {
  readonly status: number;
  /** `api_error` unless given. */
  readonly type?: string;
  readonly message?: string;
  /** Takes the place of the error body. */
  readonly body?: string;
  /** Sets or replaces headers, among them `request-id`; null takes one away. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly latencyMs?: number;
}

/** What goes wrong with a reply. Events count from 0, in the order in which they would have been sent. */
export interface ReplyFaults {
  /** The connection is reset, and not even a status arrives. */
  readonly resetBeforeHeaders?: true;
  /** How long every delta is held back; 0 unless given. */
  readonly deltaDelayMs?: number;
  readonly breakOff?: BreakOff;
  /** An error event takes the place of all events from `afterEvents` on; of `message_stop` alone unless given. */
  readonly errorEvent?: { readonly type: string; readonly message: string; readonly afterEvents?: number };
  /** Types of events that are left out, such as `message_stop` or `ping`. */
  readonly omittedEvents?: readonly string[];
  /** The positions of two events that change places. */
  readonly swappedEvents?: readonly [number, number];
  /** Events that are put in before the event at a position. */
  readonly insertedEvents?: readonly { readonly at: number; readonly event: Json }[];
  /** The position of an event whose JSON is cut in half. */
  readonly malformedEvent?: number;
  /** Starts calls without the member `input`, as some compatible servers do. */
  readonly withoutToolInput?: true;
  /** Says nothing about the cache, as most compatible servers do. */
  readonly withoutCacheUsage?: true;
}

/** Ends the body early, whether it is a stream or one object. */
export interface BreakOff {
  /** A clean end, a reset connection, or nothing more until the client goes away or the server is stopped. */
  readonly how: "end" | "reset" | "stall";
  /**
   * Bytes of the body that still arrive; all unless `afterEvents` is given. Where none are to arrive before a reset or a
   * stall, one line feed does, without which the headers would not either.
   */
  readonly atByte?: number;
  /** Events that still arrive. */
  readonly afterEvents?: number;
  /** Sends pings while it stalls; none unless given. */
  readonly pingEveryMs?: number;
}
