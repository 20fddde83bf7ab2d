import { isRecord } from "../../../src/lib/is-record.ts";
import { blocksOf, contentOf, isThinking, recordsOf, withoutMarks, type Json } from "./json.ts";

const BYTES_PER_TOKEN = 4;

export type CacheTtl = "5m" | "1h";

/** One block of a prompt, in the order in which the service reads it: tools, system prompt, messages. */
export interface PromptBlock {
  /** Stands for this block and everything before it, cache marks aside. */
  readonly prefix: string;
  /** Of this block and everything before it. */
  readonly tokens: number;
  /** The cache mark of the block, or the one of the whole request where it falls on this block. */
  readonly mark: unknown;
}

/** The blocks of a request. Tokens are a quarter of the bytes of their JSON, rounded up over the whole prefix. */
export function promptBlocks(body: Json): readonly PromptBlock[] {
  const parts = partsOf(body);
  // The mark of the whole request falls on the last block that can carry one, if that has none of its own.
  const automatic = body["cache_control"] === undefined ? -1 : parts.findLastIndex(({ block, role }) => role !== undefined && !isThinking(block));
  let hash = 0n;
  let bytes = 0;
  return parts.map(({ block, role, seed }, index) => {
    const json = JSON.stringify(withoutMarks(block));
    hash = Bun.hash.wyhash(json, Bun.hash.wyhash(`${seed} ${role}`, hash));
    bytes += Buffer.byteLength(json);
    const mark = markOf(block) ?? (index === automatic ? body["cache_control"] : undefined);
    return { prefix: hash.toString(36), tokens: Math.ceil(bytes / BYTES_PER_TOKEN), mark };
  });
}

/** The tokens of the whole prompt. */
export function promptTokens(blocks: readonly PromptBlock[]): number {
  return blocks.at(-1)?.tokens ?? 0;
}

export function ttlOf(mark: unknown): CacheTtl {
  return isRecord(mark) && mark["ttl"] === "1h" ? "1h" : "5m";
}

interface Part {
  readonly block: Json;
  /** Undefined outside of messages. */
  readonly role: string | undefined;
  /** What is no block, but makes every entry from here on unreadable when it changes. */
  readonly seed: string;
}

function partsOf(body: Json): readonly Part[] {
  const { model, speed, tool_choice: choice, thinking, output_config: output } = body;
  const ofAll = JSON.stringify([model, speed]);
  const ofMessages = JSON.stringify([model, speed, choice, thinking, isRecord(output) ? output["effort"] : undefined]);
  return [
    ...recordsOf(body["tools"]).map((block) => ({ block, role: undefined, seed: `tools ${ofAll}` })),
    ...blocksOf(body["system"]).map((block) => ({ block, role: undefined, seed: `system ${ofAll}` })),
    ...recordsOf(body["messages"]).flatMap((message) =>
      contentOf(message).map((block) => ({ block, role: String(message["role"]), seed: `messages ${ofMessages}` })),
    ),
  ];
}

/** The mark of a block, or the last one of the blocks that it holds. */
function markOf(block: Json): unknown {
  return block["cache_control"] ?? recordsOf(block["content"]).findLast((each) => each["cache_control"] !== undefined)?.["cache_control"];
}
