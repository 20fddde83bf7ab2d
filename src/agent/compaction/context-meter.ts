import type { Message } from "../../core/message.ts";

/**
 * How large a conversation is in tokens, as far as that is known without asking: from the bytes that are sent, and from
 * what the service last counted for how many bytes.
 */
export interface ContextMeter {
  /** @returns tokens of the whole prompt with these messages */
  estimate(messages: readonly Message[]): number;
  /** Bytes of the whole prompt with these messages. */
  bytesOf(messages: readonly Message[]): number;
  /** Takes note of what the service counted for the prompt with these messages. */
  observe(messages: readonly Message[], promptTokens: number): void;
  bytesPerToken(): number;
}

/** Before the service has counted anything. */
const TOKENS_PER_BYTE = 1 / 3;
/** A count that is far from this is one of something else, as of a server that counts only what was not cached. */
const TOKENS_PER_BYTE_MIN = 1 / 12;
const TOKENS_PER_BYTE_MAX = 2;
/** Of a short prompt, what the service adds by itself is too large a part. */
const COUNTED_BYTES_MIN = 2_000;

/** @param fixedBytes of system prompt and tools */
export function createContextMeter(fixedBytes: number): ContextMeter {
  let tokensPerByte = TOKENS_PER_BYTE;
  const bytesOf = (messages: readonly Message[]) => messages.reduce((sum, message) => sum + messageBytes(message), fixedBytes);
  return {
    bytesOf,
    bytesPerToken: () => 1 / tokensPerByte,
    estimate: (messages) => Math.ceil(bytesOf(messages) * tokensPerByte),
    observe(messages, promptTokens) {
      const bytes = bytesOf(messages);
      const counted = promptTokens / bytes;
      if (bytes >= COUNTED_BYTES_MIN && counted >= TOKENS_PER_BYTE_MIN) tokensPerByte = Math.min(counted, TOKENS_PER_BYTE_MAX);
    },
  };
}

const SIZES = new WeakMap<Message, number>();

/** Messages never change, so that each is measured once. */
export function messageBytes(message: Message): number {
  let bytes = SIZES.get(message);
  if (bytes === undefined) SIZES.set(message, (bytes = Buffer.byteLength(JSON.stringify(message.content))));
  return bytes;
}
