/** What the scripted API server says: builders, and the bytes of a reply. */

export type ApiBlock =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string };

export interface ApiUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_read_input_tokens: number | null;
  readonly cache_creation_input_tokens: number | null;
}

/** Something that goes wrong once a reply is on its way. */
export interface ApiFault {
  /** How much of the reply still arrives; the whole of it unless told. */
  readonly afterEvents?: number;
  readonly afterBytes?: number;
  /** A clean end, a reset connection, nothing for ever, nothing but pings for ever, or an error event. */
  readonly kind: "end" | "reset" | "silence" | "pings" | { readonly type: string; readonly message: string };
}

export interface ApiReply {
  readonly blocks: readonly ApiBlock[];
  /** Whatever suits the blocks unless given. */
  readonly stopReason?: string;
  readonly usage?: Partial<ApiUsage>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Characters in one delta; 16 unless given. */
  readonly chunkChars?: number;
  /** How long to wait before the headers are sent. */
  readonly delayMs?: number;
  readonly fault?: ApiFault;
  /** Changes the events of the reply, for kinds that only a newer service sends. */
  readonly editEvents?: (events: readonly SseEvent[]) => readonly SseEvent[];
}

/** A response without a reply: an error of the API's form, or any body at all. */
export interface ApiRefusal {
  readonly status: number;
  readonly type?: string;
  readonly message?: string;
  /** Takes the place of the error body. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SseEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>> | string;
}

export function text(value: string): ApiBlock {
  return { type: "text", text: value };
}

/** @param id `toolu_NAME` unless given; ids of one conversation have to differ */
export function toolUse(name: string, input: unknown, id = `toolu_${name}`): ApiBlock {
  return { type: "tool_use", id, name, input };
}

export function thinking(value: string, signature: string): ApiBlock {
  return { type: "thinking", thinking: value, signature };
}

export function reply(...blocks: readonly ApiBlock[]): ApiReply {
  return { blocks };
}

export function refusal(status: number, type: string, message: string, headers: Readonly<Record<string, string>> = {}): ApiRefusal {
  return { status, type, message, headers };
}

/** The events of a streamed reply, in the order of the service. */
export function replyEvents(answer: ApiReply, message: { readonly id: string; readonly model: string; readonly usage: ApiUsage }): readonly SseEvent[] {
  const { id, model, usage } = message;
  const start = { id, type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null };
  const events: SseEvent[] = [
    sse({ type: "message_start", message: { ...start, usage: { ...usage, output_tokens: 1 } } }),
    sse({ type: "ping" }),
    ...answer.blocks.flatMap((block, index) => blockEvents(block, index, answer.chunkChars ?? 16)),
    sse({
      type: "message_delta",
      delta: { stop_reason: stopReasonOf(answer), stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
    sse({ type: "message_stop" }),
  ];
  return answer.editEvents?.(events) ?? events;
}

export function stopReasonOf({ blocks, stopReason }: ApiReply): string {
  return stopReason ?? (blocks.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn");
}

export function sse(data: Readonly<Record<string, unknown>>): SseEvent {
  return { event: String(data["type"]), data };
}

export function encodeEvent({ event, data }: SseEvent): string {
  return `event: ${event}\ndata: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

function blockEvents(block: ApiBlock, index: number, chunkChars: number): SseEvent[] {
  const start = (content_block: Readonly<Record<string, unknown>>) => sse({ type: "content_block_start", index, content_block });
  const delta = (value: Readonly<Record<string, unknown>>) => sse({ type: "content_block_delta", index, delta: value });
  const stop = sse({ type: "content_block_stop", index });
  switch (block.type) {
    case "text":
      return [start({ type: "text", text: "" }), ...chunks(block.text, chunkChars).map((part) => delta({ type: "text_delta", text: part })), stop];
    case "tool_use": {
      const parts = chunks(JSON.stringify(block.input), chunkChars);
      const { id, name } = block;
      return [start({ type: "tool_use", id, name, input: {} }), ...parts.map((part) => delta({ type: "input_json_delta", partial_json: part })), stop];
    }
    case "thinking": {
      const parts = chunks(block.thinking, chunkChars).map((part) => delta({ type: "thinking_delta", thinking: part }));
      const signature = delta({ type: "signature_delta", signature: block.signature });
      return [start({ type: "thinking", thinking: "", signature: "" }), ...parts, signature, stop];
    }
    case "redacted_thinking":
      return [start({ ...block }), stop];
  }
}

function chunks(value: string, size: number): string[] {
  const characters = Array.from(value);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) =>
    characters.slice(index * size, (index + 1) * size).join(""),
  );
}
