import { expect, test } from "bun:test";
import { openAnthropicModel } from "../../src/model/anthropic.ts";
import { ModelError, type ModelEvent } from "../../src/model/client.ts";
import { readEndpoint } from "../../src/model/credentials.ts";
import { encodeEvent, reply, replyEvents, text, thinking, toolUse, type ApiReply } from "../support/api-reply.ts";
import { requestFor } from "../support/model-reply.ts";

const UNICODE = "äöü — 日本語 👩‍👩‍👧 \u2028 ü";
const REPLIES: Readonly<Record<string, ApiReply>> = {
  "a short text": reply(text("Hi.")),
  "a text of many pieces": { ...reply(text("Let me look at the file first.")), chunkChars: 5 },
  "text that is not ASCII": { ...reply(text(UNICODE)), chunkChars: 2 },
  "an empty reply": reply(),
  "thinking and text": reply(thinking("Which file?", "c2lnbmF0dXJl"), text("This one.")),
  "hidden thinking and a call": reply({ type: "redacted_thinking", data: "ZGF0YQ==" }, toolUse("Read", { file_path: "a" })),
  "one call": reply(toolUse("Read", { file_path: "a.txt", limit: 3 })),
  "a call without input": reply(toolUse("List", {})),
  "three calls at once": { ...reply(toolUse("Read", { a: 1 }), toolUse("Grep", { b: "ü" }), toolUse("List", {})), chunkChars: 4 },
  "a call with long input": { ...reply(text("So:"), toolUse("Write", { content: `${"x".repeat(600)}👋\n` })), chunkChars: 100 },
};

/** What arrives of a reply that is cut, and the offsets at which its events end. */
function bytesOf(answer: ApiReply): { readonly bytes: Uint8Array<ArrayBuffer>; readonly ends: readonly number[] } {
  const usage = { input_tokens: 9, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  const frames = replyEvents(answer, { id: "msg_1", model: "m", usage })
    // Pings stand for no event of a reply.
    .filter(({ event }) => event !== "ping")
    .map((event) => encodeEvent(event));
  let end = 0;
  return { bytes: new TextEncoder().encode(frames.join("")), ends: frames.map((frame) => (end += Buffer.byteLength(frame))) };
}

async function readCut(bytes: Uint8Array<ArrayBuffer>): Promise<{ readonly events: readonly ModelEvent[]; readonly error?: unknown }> {
  const response = () => Promise.resolve(new Response(bytes, { headers: { "content-type": "text/event-stream" } }));
  const model = openAnthropicModel({ model: "m", endpoint: readEndpoint({ ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }), fetch: response });
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(requestFor("hi"), new AbortController().signal)) events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events };
}

test.each(Object.entries(REPLIES))("%s, cut after any byte, is a failure that may pass or the whole reply (V-259, V-261)", async (_, answer) => {
  const { bytes, ends } = bytesOf(answer);
  const whole = await readCut(bytes);
  expect(whole.error).toBeUndefined();
  expect(whole.events).toHaveLength(ends.length);
  for (let cut = 0; cut < bytes.length; cut++) {
    const { events, error } = await readCut(bytes.slice(0, cut));
    const isWhole = error === undefined;
    const arrived = ends.filter((end) => end <= cut).length;
    const isAsExpected = isWhole
      ? events.length === whole.events.length
      : error instanceof ModelError && error.class === "retryable" && events.length <= arrived;
    const isBeginning = Bun.deepEquals(events, whole.events.slice(0, events.length), true);
    if (!isAsExpected || !isBeginning) throw new Error(`Cut after byte ${cut}: ${String(error)}, ${JSON.stringify(events)}`);
  }
});
