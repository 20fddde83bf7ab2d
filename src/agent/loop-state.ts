import type { ModelClient, ModelRequest } from "../model/client.ts";
import { createGarbageMeter } from "../platform/collect-garbage.ts";
import { createContextMeter, type ContextMeter } from "./compaction/context-meter.ts";
import type { CompactionLayer } from "./compaction/plan-compaction.ts";
import { createConversation, type Conversation } from "./conversation.ts";
import type { RefusedCall } from "./denial-limit.ts";
import type { QueryParams } from "./loop-params.ts";
import type { RecoveryState } from "./recovery/decide-recovery.ts";

/** What changes while a loop goes on. */
export interface LoopState {
  readonly conversation: Conversation;
  readonly meter: ContextMeter;
  /** Takes note of bytes that were made for a request. */
  readonly dropBytes: (bytes: number) => void;
  /** The model that is asked now. */
  model: ModelClient;
  /** How many of the fallbacks were turned to. */
  fallbacksUsed: number;
  /** What of requests the service was found not to take. */
  adaptation: Pick<ModelRequest, "without" | "systemAsText">;
  repaired: RecoveryState["repaired"];
  /** Lowered where the service says so. */
  outputTokensMax: number;
  readonly exhausted: Set<CompactionLayer>;
  /** Whether anything was taken out of the conversation. */
  isCompacted: boolean;
  /** The calls that were refused so far. */
  readonly refused: RefusedCall[];
  /** Tokens of output and of prompts that were not read from the cache, in all replies. */
  spentTokens: number;
}

export function createLoopState(params: QueryParams): LoopState {
  const { model, system, toolDefinitions, history, outputTokensMax } = params;
  return {
    conversation: createConversation(history, params),
    meter: createContextMeter(Buffer.byteLength(JSON.stringify([system, toolDefinitions]))),
    dropBytes: createGarbageMeter(),
    model,
    fallbacksUsed: 0,
    adaptation: {},
    repaired: new Set(),
    outputTokensMax: Math.min(outputTokensMax, model.limits.outputTokensMax),
    exhausted: new Set(),
    isCompacted: false,
    refused: [],
    spentTokens: 0,
  };
}

