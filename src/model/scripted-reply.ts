import type { ModelEvent, ModelRequest, WireDelta } from "./client.ts";
import type { ScriptTurn } from "./scripted-script.ts";

const CHUNK_CHARS = 16;
const BYTES_PER_TOKEN = 4;

/** The events of a scripted reply. The same turn and request give the same events, ids and token counts included. */
export function* scriptedReply(turn: ScriptTurn, request: ModelRequest): Generator<ModelEvent> {
  const { reply = [], chunkChars = CHUNK_CHARS } = turn;
  const prompt = JSON.stringify([request.tools, request.system, request.messages]);
  yield { type: "message_start", usage: { input: tokensOf(prompt), output: 1, cacheRead: 0, cacheWrite: 0 } };
  for (const [index, part] of reply.entries()) {
    if ("text" in part) {
      yield { type: "block_start", index, block: { type: "text", text: "" } };
      yield* deltas(index, part.text, chunkChars, (text) => ({ type: "text_delta", text }));
    } else {
      const id = part.id ?? toolUseId(prompt, index);
      yield { type: "block_start", index, block: { type: "tool_use", id, name: part.tool } };
      const input = JSON.stringify(part.input);
      yield* deltas(index, input, chunkChars, (partialJson) => ({ type: "input_json_delta", partialJson }));
    }
    yield { type: "block_stop", index };
  }
  const stopReason = turn.stopReason ?? (reply.some((part) => "tool" in part) ? "tool_use" : "end_turn");
  yield { type: "message_delta", stopReason, usage: { output: tokensOf(JSON.stringify(reply)) } };
  yield { type: "message_stop" };
}

function* deltas(index: number, text: string, chunkChars: number, toDelta: (chunk: string) => WireDelta): Generator<ModelEvent> {
  // By characters, so that no chunk ends within a surrogate pair.
  const characters = Array.from(text);
  for (let start = 0; start < characters.length; start += chunkChars) {
    yield { type: "block_delta", index, delta: toDelta(characters.slice(start, start + chunkChars).join("")) };
  }
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** Made from the whole conversation, so that two agents that began alike do not get the same ids. */
function toolUseId(prompt: string, index: number): string {
  return `toolu_${Bun.hash(prompt).toString(36).padStart(13, "0")}${index}`;
}
