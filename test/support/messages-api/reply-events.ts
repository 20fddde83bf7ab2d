import type { Reply } from "./answer.ts";
import type { Json } from "./json.ts";
import type { SentMessage } from "./sent-message.ts";

const CHUNK_CHARS = 16;

/** The events of a streamed reply, in the order of the service. */
export function replyEvents(message: SentMessage, { content: told, chunkChars = CHUNK_CHARS, faults }: Reply): readonly Json[] {
  const { content, stop_reason, stop_sequence, stop_details, usage, ...start } = message;
  const { cache_creation: _split, ...counted } = usage;
  // What is counted in the end includes what is counted at the start.
  const startUsage = { ...usage, output_tokens: Math.min(1, Number(usage["output_tokens"])) };
  return [
    { type: "message_start", message: { ...start, content: [], stop_reason: null, stop_sequence: null, usage: startUsage } },
    { type: "ping" },
    ...content.flatMap((block, index) => {
      const { inputJson = JSON.stringify(block["input"]) } = { ...told[index] } as { readonly inputJson?: string };
      return blockEvents(block, index, { chunkChars, inputJson, hasInput: faults?.withoutToolInput !== true });
    }),
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence, ...(stop_details !== undefined && { stop_details }) },
      usage: counted,
    },
    { type: "message_stop" },
  ];
}

interface BlockOptions {
  readonly chunkChars: number;
  readonly inputJson: string;
  readonly hasInput: boolean;
}

function blockEvents(block: Json, index: number, { chunkChars, inputJson, hasInput }: BlockOptions): Json[] {
  const start = (content_block: Json) => ({ type: "content_block_start", index, content_block });
  const deltas = (type: string, member: string, value: unknown) =>
    chunks(String(value), chunkChars).map((part) => ({ type: "content_block_delta", index, delta: { type, [member]: part } }));
  const stop = { type: "content_block_stop", index };
  switch (block["type"]) {
    case "text":
      return [start({ ...block, text: "" }), ...deltas("text_delta", "text", block["text"]), stop];
    case "tool_use": {
      const { input: _input, ...rest } = block;
      return [start({ ...rest, ...(hasInput && { input: {} }) }), ...deltas("input_json_delta", "partial_json", inputJson), stop];
    }
    case "thinking": {
      const signature = { type: "content_block_delta", index, delta: { type: "signature_delta", signature: block["signature"] } };
      return [start({ ...block, thinking: "", signature: "" }), ...deltas("thinking_delta", "thinking", block["thinking"]), signature, stop];
    }
    default:
      return [start(block), stop];
  }
}

function chunks(value: string, size: number): string[] {
  const characters = Array.from(value);
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, index) => characters.slice(index * size, (index + 1) * size).join(""));
}
