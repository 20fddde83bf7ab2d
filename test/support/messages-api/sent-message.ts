import type { Reply } from "./answer.ts";
import type { CacheUsage } from "./prompt-cache.ts";
import type { Json } from "./json.ts";

const BYTES_PER_TOKEN = 4;

/** A whole reply as one object: what is sent at once, and what the events of a stream add up to. */
export interface SentMessage {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly Json[];
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
  readonly stop_details?: Json;
  readonly usage: Json;
  readonly input_transformations?: readonly Json[];
}

/** @param number the number of the request, which is in everything that is made up */
export function toSentMessage(
  reply: Reply,
  { number, model, cacheUsage, dropped }: { readonly number: number; readonly model: string; readonly cacheUsage: CacheUsage; readonly dropped: readonly Json[] },
): SentMessage {
  const content = reply.content.map((block, index) => completeBlock(block, `${number}_${index}`));
  const isCalling = content.some(({ type }) => type === "tool_use");
  return {
    id: reply.id ?? `msg_${number}`,
    type: "message",
    role: "assistant",
    model: reply.model ?? model,
    content,
    stop_reason: reply.stopReason ?? (isCalling ? "tool_use" : "end_turn"),
    stop_sequence: reply.stopSequence ?? null,
    ...(reply.stopDetails !== undefined && { stop_details: reply.stopDetails }),
    usage: usageOf(reply, content, cacheUsage),
    ...(dropped.length > 0 && { input_transformations: dropped.map((each) => ({ type: "thinking_dropped", ...each })) }),
  };
}

function completeBlock(block: Reply["content"][number], suffix: string): Json {
  if (block.type === "tool_use") return { type: block.type, id: block.id ?? `toolu_${suffix}`, name: block.name, input: block.input };
  if (block.type === "thinking") return { type: block.type, thinking: block.thinking, signature: block.signature ?? `sig_${suffix}` };
  return { ...block };
}

function usageOf(reply: Reply, content: readonly Json[], cacheUsage: CacheUsage): Json {
  const { input_tokens, ...cache } = cacheUsage;
  const output_tokens = Math.ceil(Buffer.byteLength(JSON.stringify(content)) / BYTES_PER_TOKEN);
  return { input_tokens, ...(reply.faults?.withoutCacheUsage !== true && cache), output_tokens, ...reply.usage };
}
