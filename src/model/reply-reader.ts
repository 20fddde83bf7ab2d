import { isRecord } from "../lib/is-record.ts";
import { ModelError, type ModelEvent } from "./client.ts";
import { toModelEvent } from "./wire-events.ts";

type Json = Readonly<Record<string, unknown>>;
type BlockStart = Extract<ModelEvent, { type: "block_start" }>;
type BlockDelta = Extract<ModelEvent, { type: "block_delta" }>;
type BlockStop = Extract<ModelEvent, { type: "block_stop" }>;

export interface ReplyReader {
  /**
   * What an event of the stream says; nothing for pings and kinds that this build does not know. Throws a retryable
   * `ModelError` for an event that cannot be read.
   */
  read(event: Json): readonly ModelEvent[];
}

export interface ReplyReaderOptions {
  /** What the service called the request. */
  readonly requestId: string | undefined;
  /** Ids of the calls that the conversation holds already. */
  readonly takenIds: Iterable<string>;
}

/**
 * Reads one reply and makes up for what compatible servers do otherwise than the service, so that whoever gets the events
 * needs to know none of it: blocks are counted from 0, every call has an id of its own, what a block holds comes in
 * deltas, and a reply with calls that says nothing of its end has ended for them.
 */
export function createReplyReader({ requestId, takenIds }: ReplyReaderOptions): ReplyReader {
  const ids = new Set(takenIds);
  const openBlocks = new Map<number, OpenBlock>();
  let blockCount = 0;
  let hasCalls = false;
  let hasStopReason = false;

  function start(event: BlockStart, raw: Json): ModelEvent[] {
    const index = blockCount++;
    const { block } = event;
    openBlocks.set(event.index, { index, ...(block.type === "tool_use" && { heldJson: inputJson(raw) }) });
    switch (block.type) {
      case "tool_use": {
        hasCalls = true;
        const id = block.id === "" || ids.has(block.id) ? madeUpId() : block.id;
        ids.add(id);
        return [{ type: "block_start", index, block: { ...block, id } }];
      }
      case "text": {
        const begun: ModelEvent = { type: "block_start", index, block: { type: "text", text: "" } };
        return block.text === "" ? [begun] : [begun, { type: "block_delta", index, delta: { type: "text_delta", text: block.text } }];
      }
      default:
        return [{ type: "block_start", index, block }];
    }
  }

  function extend({ index: wireIndex, delta }: BlockDelta): ModelEvent[] {
    const open = openBlocks.get(wireIndex);
    if (open !== undefined) {
      if (delta.type === "input_json_delta" && delta.partialJson !== "") open.heldJson = undefined;
      return [{ type: "block_delta", index: open.index, delta }];
    }
    if (delta.type === "unknown") return [];
    throw new ModelError("retryable", `Cannot read the reply: it goes on with block ${wireIndex}, which is not open`);
  }

  function stop({ index: wireIndex }: BlockStop): ModelEvent[] {
    const open = openBlocks.get(wireIndex);
    if (open === undefined) return [];
    openBlocks.delete(wireIndex);
    const { index, heldJson } = open;
    const held: ModelEvent[] = heldJson === undefined ? [] : [{ type: "block_delta", index, delta: { type: "input_json_delta", partialJson: heldJson } }];
    return [...held, { type: "block_stop", index }];
  }

  return {
    read(json) {
      const event = toModelEvent(json, requestId);
      if (event === undefined) return [];
      switch (event.type) {
        case "block_start":
          return start(event, json);
        case "block_delta":
          return extend(event);
        case "block_stop":
          return stop(event);
        case "message_delta":
          hasStopReason ||= event.stopReason !== null;
          return [event];
        case "message_stop": {
          const isEndUnsaid = hasCalls && !hasStopReason;
          return [...(isEndUnsaid ? [{ type: "message_delta" as const, stopReason: "tool_use", usage: {} }] : []), event];
        }
        default:
          return [event];
      }
    },
  };
}

interface OpenBlock {
  /** As it is counted here. */
  readonly index: number;
  /** The input that a call held where it started; deltas that follow take its place. */
  heldJson?: string | undefined;
}

/** The service starts every call with an empty object, which says nothing. A string holds the JSON of the input. */
function inputJson(event: Json): string | undefined {
  const block = event["content_block"];
  const input = isRecord(block) ? block["input"] : undefined;
  if (input === undefined || input === null || input === "") return undefined;
  if (isRecord(input) && Object.keys(input).length === 0) return undefined;
  return typeof input === "string" ? input : JSON.stringify(input);
}

function madeUpId(): string {
  return `toolu_${crypto.randomUUID().replaceAll("-", "")}`;
}
