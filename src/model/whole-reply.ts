import { isRecord } from "../lib/is-record.ts";
import { ModelError } from "./client.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * The events that a stream would have had for a reply that came in one piece; each block is complete where it starts.
 * Throws a retryable `ModelError` for a block that is none.
 *
 * @param blocks the content of the reply
 */
export function* wholeReplyEvents(message: Json, blocks: readonly unknown[]): Generator<Json> {
  const { usage, stop_reason, stop_details } = message;
  yield { type: "message_start", message: { usage } };
  for (const [index, block] of blocks.entries()) {
    if (!isRecord(block)) throw new ModelError("retryable", "Cannot read the reply: a block is no object");
    yield { type: "content_block_start", index, content_block: block };
    yield { type: "content_block_stop", index };
  }
  yield { type: "message_delta", delta: { stop_reason, stop_details }, usage };
  yield { type: "message_stop" };
}
