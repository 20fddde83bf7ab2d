import { promptTokens, ttlOf, type CacheTtl, type PromptBlock } from "./prompt-blocks.ts";

/** The service looks at a breakpoint and the 19 blocks before it. */
const LOOKBACK_BLOCKS = 20;
const TTL_MS: Readonly<Record<CacheTtl, number>> = { "5m": 5 * 60_000, "1h": 60 * 60_000 };

export interface PromptCache {
  /** What a request reads and writes. Nothing of what it writes can be read before `began` is called. */
  account(blocks: readonly PromptBlock[], tokensMin: number): CacheAccount;
}

export interface CacheAccount {
  readonly usage: CacheUsage;
  /** To be called when the first byte of the reply goes out. */
  readonly began: () => void;
}

/** Together the first three are the whole prompt. */
export interface CacheUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation: { readonly ephemeral_5m_input_tokens: number; readonly ephemeral_1h_input_tokens: number };
}

interface Entry {
  ttl: CacheTtl;
  usedAtMs: number;
}

/** @param now milliseconds; entries live from their last use */
export function createPromptCache(now: () => number): PromptCache {
  const entries = new Map<string, Entry>();

  function isReadable(prefix: string): boolean {
    const entry = entries.get(prefix);
    return entry !== undefined && now() - entry.usedAtMs < TTL_MS[entry.ttl];
  }

  /** The last block up to which something readable is stored; -1 where there is nothing. */
  function findHit(blocks: readonly PromptBlock[], breakpoints: readonly number[]): number {
    const hits = breakpoints.map((end) => {
      const start = Math.max(0, end - LOOKBACK_BLOCKS + 1);
      const found = blocks.slice(start, end + 1).findLastIndex(({ prefix }) => isReadable(prefix));
      return found === -1 ? -1 : start + found;
    });
    return Math.max(-1, ...hits);
  }

  return {
    account(blocks, tokensMin) {
      const breakpoints = [...blocks.keys()].filter((index) => blocks[index]?.mark !== undefined && tokensAt(blocks, index) >= tokensMin);
      const hit = findHit(blocks, breakpoints);
      const used = blocks[hit] === undefined ? undefined : entries.get(blocks[hit].prefix);
      if (used !== undefined) used.usedAtMs = now();
      const written = breakpoints.filter((index) => index > hit);
      return {
        usage: usageOf(blocks, hit, written),
        began() {
          for (const index of written) {
            const block = blocks[index];
            if (block !== undefined) entries.set(block.prefix, { ttl: ttlOf(block.mark), usedAtMs: now() });
          }
        },
      };
    },
  };
}

function usageOf(blocks: readonly PromptBlock[], hit: number, written: readonly number[]): CacheUsage {
  const read = tokensAt(blocks, hit);
  const created = { "5m": 0, "1h": 0 };
  let end = hit;
  for (const index of written) {
    created[ttlOf(blocks[index]?.mark)] += tokensAt(blocks, index) - tokensAt(blocks, end);
    end = index;
  }
  return {
    input_tokens: promptTokens(blocks) - tokensAt(blocks, end),
    cache_creation_input_tokens: created["5m"] + created["1h"],
    cache_read_input_tokens: read,
    cache_creation: { ephemeral_5m_input_tokens: created["5m"], ephemeral_1h_input_tokens: created["1h"] },
  };
}

function tokensAt(blocks: readonly PromptBlock[], index: number): number {
  return blocks[index]?.tokens ?? 0;
}
