import { isRecord } from "../lib/is-record.ts";
import { ModelError, type ModelEvent, type StopDetails, type WireBlock, type WireDelta, type WireUsage } from "./client.ts";

type Json = Readonly<Record<string, unknown>>;

const EXCERPT_LENGTH_MAX = 200;
const EXPLANATION_LENGTH_MAX = 1_000;

/**
 * The event of a reply that a parsed event of the stream stands for; undefined for kinds that this build does not know,
 * and for pings. Throws a retryable `ModelError` where a known event lacks what it must have. A tool call without an id
 * has an empty one.
 *
 * @param requestId what the service called the request, for the first event
 */
export function toModelEvent(event: Json, requestId: string | undefined): ModelEvent | undefined {
  switch (event["type"]) {
    case "message_start":
      return {
        type: "message_start",
        usage: toUsage(isRecord(event["message"]) ? event["message"]["usage"] : undefined),
        ...(requestId !== undefined && { requestId }),
      };
    case "content_block_start":
      return { type: "block_start", index: index(event), block: toBlock(member(event, "content_block")) };
    case "content_block_delta":
      return { type: "block_delta", index: index(event), delta: toDelta(member(event, "delta")) };
    case "content_block_stop":
      return { type: "block_stop", index: index(event) };
    case "message_delta": {
      const delta = isRecord(event["delta"]) ? event["delta"] : {};
      const stopReason = delta["stop_reason"];
      return {
        type: "message_delta",
        stopReason: typeof stopReason === "string" ? stopReason : null,
        ...(isRecord(delta["stop_details"]) && { stopDetails: toStopDetails(delta["stop_details"]) }),
        usage: toUsage(event["usage"]),
      };
    }
    case "message_stop":
      return { type: "message_stop" };
    default:
      return undefined;
  }
}

function toBlock(block: Json): WireBlock {
  switch (block["type"]) {
    case "text":
      return { type: "text", text: text(block, "text", "") };
    case "tool_use":
      return { type: "tool_use", id: typeof block["id"] === "string" ? block["id"] : "", name: text(block, "name") };
    case "thinking":
      return { type: "thinking", thinking: text(block, "thinking", ""), signature: text(block, "signature", "") };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: text(block, "data") };
    default:
      return { type: "unknown", raw: block };
  }
}

function toDelta(delta: Json): WireDelta {
  switch (delta["type"]) {
    case "text_delta":
      return { type: "text_delta", text: text(delta, "text") };
    case "input_json_delta":
      return { type: "input_json_delta", partialJson: text(delta, "partial_json") };
    case "thinking_delta":
      return { type: "thinking_delta", thinking: text(delta, "thinking") };
    case "signature_delta":
      return { type: "signature_delta", signature: text(delta, "signature") };
    default:
      return { type: "unknown" };
  }
}

function toStopDetails(details: Json): StopDetails {
  const said = { category: details["category"], explanation: details["explanation"] };
  const texts = Object.entries(said).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value.slice(0, EXPLANATION_LENGTH_MAX).toWellFormed()]] : [],
  );
  return Object.fromEntries(texts);
}

/** Numbers that are missing or null were not said, which is not the same as zero. */
function toUsage(usage: unknown): WireUsage {
  if (!isRecord(usage)) return {};
  const said = {
    input: usage["input_tokens"],
    output: usage["output_tokens"],
    cacheRead: usage["cache_read_input_tokens"],
    cacheWrite: usage["cache_creation_input_tokens"],
  };
  return Object.fromEntries(Object.entries(said).filter(([, tokens]) => typeof tokens === "number"));
}

function index(event: Json): number {
  const value = event["index"];
  return typeof value === "number" ? value : malformed(event, "index");
}

function member(event: Json, name: string): Json {
  const value = event[name];
  return isRecord(value) ? value : malformed(event, name);
}

function text(json: Json, name: string, missing?: string): string {
  const value = json[name] ?? missing;
  return typeof value === "string" ? value : malformed(json, name);
}

function malformed(json: Json, name: string): never {
  const excerpt = JSON.stringify(json).slice(0, EXCERPT_LENGTH_MAX).toWellFormed();
  throw new ModelError("retryable", `Cannot read the reply: "${name}" is missing in ${excerpt}`);
}
