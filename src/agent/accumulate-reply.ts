import type { AssistantBlock, AssistantMessage, ToolUseBlock } from "../core/message.ts";
import { NO_USAGE, type Usage } from "../core/usage.ts";
import type { ModelEvent, StopDetails, WireBlock, WireDelta, WireUsage } from "../model/client.ts";

/** A whole reply of a model. */
export interface Reply {
  readonly message: AssistantMessage;
  /** The tools of calls that are not in the message because their input is no whole JSON object. */
  readonly lostCalls: readonly string[];
  /** As the service says it; null when it says none. */
  readonly stopReason: string | null;
  readonly stopDetails: StopDetails | undefined;
  readonly usage: Usage;
  readonly requestId: string | undefined;
}

/** Builds a reply from its events. `reply` is what has come so far; only a stopped stream makes it whole. */
export interface ReplyAccumulator {
  add(event: ModelEvent): void;
  reply(): Reply;
  /** The tool call that a complete block holds; undefined for every other block. */
  callAt(index: number): ToolUseBlock | undefined;
}

/**
 * Blocks that would make the next request invalid are left out: empty text, and tool calls whose input is no whole JSON
 * object. Text is made well-formed Unicode.
 */
export function createReplyAccumulator(): ReplyAccumulator {
  const blocks: OpenBlock[] = [];
  let usage: Usage = NO_USAGE;
  let stopReason: string | null = null;
  let stopDetails: StopDetails | undefined;
  let requestId: string | undefined;
  return {
    add(event) {
      switch (event.type) {
        case "message_start":
          usage = mergeUsage(usage, event.usage);
          requestId = event.requestId;
          return;
        case "block_start":
          blocks[event.index] = openBlock(event.block);
          return;
        case "block_delta": {
          const block = blocks[event.index];
          if (block !== undefined) extendBlock(block, event.delta);
          return;
        }
        case "block_stop": {
          const block = blocks[event.index];
          if (block !== undefined) block.isComplete = true;
          return;
        }
        case "message_delta":
          usage = mergeUsage(usage, event.usage);
          stopReason = event.stopReason ?? stopReason;
          stopDetails = event.stopDetails ?? stopDetails;
          return;
        case "message_stop":
          return;
      }
    },
    callAt(index) {
      const [block] = blocks[index] === undefined ? [] : closeBlock(blocks[index]);
      return block?.type === "tool_use" ? block : undefined;
    },
    reply: () => ({
      message: { role: "assistant", content: blocks.flatMap(closeBlock) },
      lostCalls: blocks.flatMap(({ start, ...block }) => (start.type === "tool_use" && inputOf(block) === undefined ? [start.name] : [])),
      stopReason,
      stopDetails,
      usage,
      requestId,
    }),
  };
}

interface OpenBlock {
  readonly start: WireBlock;
  text: string;
  signature: string;
  isComplete: boolean;
}

function openBlock(start: WireBlock): OpenBlock {
  const text = start.type === "text" ? start.text : start.type === "thinking" ? start.thinking : "";
  return { start, text, signature: start.type === "thinking" ? start.signature : "", isComplete: false };
}

function extendBlock(block: OpenBlock, delta: WireDelta): void {
  switch (delta.type) {
    case "text_delta":
      block.text += delta.text;
      return;
    case "thinking_delta":
      block.text += delta.thinking;
      return;
    case "input_json_delta":
      block.text += delta.partialJson;
      return;
    case "signature_delta":
      block.signature += delta.signature;
      return;
    case "unknown":
      return;
  }
}

function closeBlock(block: OpenBlock): AssistantBlock[] {
  const { start } = block;
  switch (start.type) {
    case "text":
      return block.text === "" ? [] : [{ type: "text", text: block.text.toWellFormed() }];
    case "thinking":
      return [{ type: "thinking", thinking: block.text, signature: block.signature }];
    case "redacted_thinking":
      return [{ type: "redacted_thinking", data: start.data }];
    case "unknown":
      return [{ type: "unknown", raw: start.raw }];
    case "tool_use": {
      const input = inputOf(block);
      return input === undefined ? [] : [{ type: "tool_use", id: start.id, name: start.name, input }];
    }
  }
}

/** Undefined where it was cut before its end or is none. */
function inputOf({ text, isComplete }: Pick<OpenBlock, "text" | "isComplete">): unknown {
  return isComplete ? parseInput(text) : undefined;
}

/** Input is a JSON object; a call without arguments has no bytes at all. */
function parseInput(json: string): unknown {
  if (json.trim() === "") return {};
  try {
    const input: unknown = JSON.parse(json.toWellFormed());
    return typeof input === "object" && input !== null && !Array.isArray(input) ? input : undefined;
  } catch {
    return undefined;
  }
}

function mergeUsage(usage: Usage, wire: WireUsage): Usage {
  return {
    input: wire.input ?? usage.input,
    output: wire.output ?? usage.output,
    cacheRead: wire.cacheRead ?? usage.cacheRead,
    cacheWrite: wire.cacheWrite ?? usage.cacheWrite,
  };
}
