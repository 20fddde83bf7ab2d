import { describe, expect, test } from "bun:test";
import { userText, type ToolUseBlock } from "../../src/core/message.ts";
import { openAnthropicModel } from "../../src/model/anthropic.ts";
import type { ModelClient } from "../../src/model/client.ts";
import { readEndpoint } from "../../src/model/credentials.ts";
import type { Answer, Reply } from "../support/messages-api/answer.ts";
import { startMessagesApi, type MessagesApi } from "../support/messages-api/server.ts";
import { readFailure, readReply, requestFor } from "../support/model-reply.ts";

const TOOLS = ["Read", "Grep", "List"].map((name) => ({ name, description: name, input_schema: { type: "object" } }));
const CALLS: Reply = {
  content: [
    { type: "text", text: "Looking." },
    { type: "tool_use", id: "a", name: "Read", input: { path: "ü" } },
    { type: "tool_use", id: "b", name: "List", input: {} },
  ],
};
const READ_AND_LIST = [
  { id: "a", name: "Read", input: { path: "ü" } },
  { id: "b", name: "List", input: {} },
];

function clientOf(api: MessagesApi): ModelClient {
  return openAnthropicModel({ model: "local", endpoint: readEndpoint(api.env()) });
}

/** A client to which these frames arrive, in pieces of so many bytes. */
function clientWith(frames: readonly (Readonly<Record<string, unknown>> | string)[], { lineEnd = "\n", bytesAtOnce = 1_000_000 } = {}): ModelClient {
  const text = frames.map((frame) => (typeof frame === "string" ? frame : `data: ${JSON.stringify(frame)}`)).join("\n\n");
  const bytes = new TextEncoder().encode(`${text}\n\n`.replaceAll("\n", lineEnd));
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(sent, (sent += bytesAtOnce)));
    },
  });
  const fetch = () => Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  return openAnthropicModel({ model: "local", endpoint: readEndpoint({ ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }), fetch });
}

const start = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
const json = (index: number, partial_json: string) => ({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } });
const words = (index: number, text: string) => ({ type: "content_block_delta", index, delta: { type: "text_delta", text } });
const stop = (index: number) => ({ type: "content_block_stop", index });
const END = [{ type: "message_delta", delta: { stop_reason: "tool_use" } }, { type: "message_stop" }];

describe("a compatible server", () => {
  test.each<[string, Partial<Reply>]>([
    ["calls have no input where they start", { faults: { withoutToolInput: true } }],
    ["there are no pings", { faults: { omittedEvents: ["ping"] } }],
    ["there is nothing about the cache", { faults: { withoutCacheUsage: true } }],
    ["nothing says why the reply ended", { faults: { omittedEvents: ["message_delta"] } }],
    ["nothing says that the reply began", { faults: { omittedEvents: ["message_start"] } }],
    ["events of its own stand between the others", { faults: { insertedEvents: [{ at: 3, event: { type: "x_progress", percent: 3 } }] } }],
  ])("is understood where %s", async (_, change) => {
    await using api = startMessagesApi({ script: [{ ...CALLS, ...change }] });
    const { text, calls, stopReason } = await readReply(clientOf(api), requestFor("hi", { tools: TOOLS }));
    expect({ text, calls, stopReason }).toEqual({ text: "Looking.", calls: READ_AND_LIST, stopReason: "tool_use" });
    api.expectNoRefusals();
  });

  test("may give input whole where a call starts, as an object or as its JSON", async () => {
    const { calls } = await readReply(
      clientWith([
        start(0, { type: "tool_use", id: "a", name: "Read", input: { path: "ü" } }),
        stop(0),
        start(1, { type: "tool_use", id: "b", name: "Read", input: '{"path":"b"}' }),
        json(1, ""),
        stop(1),
        ...END,
      ]),
      requestFor("hi"),
    );
    expect(calls.map(({ input }) => input)).toEqual([{ path: "ü" }, { path: "b" }]);
  });

  test("may give input twice, of which what comes later counts", async () => {
    const { calls } = await readReply(clientWith([start(0, { type: "tool_use", id: "a", name: "Read", input: { old: 1 } }), json(0, '{"new":'), json(0, "2}"), stop(0), ...END]), requestFor("hi"));
    expect(calls).toEqual([{ id: "a", name: "Read", input: { new: 2 } }]);
  });

  test("may number every block 0 and give text whole where it starts", async () => {
    const reply = await readReply(
      clientWith([start(0, { type: "text", text: "So: " }), words(0, "this."), stop(0), start(0, { type: "tool_use", id: "a", name: "Read", input: {} }), json(0, '{"a":1}'), stop(0), ...END]),
      requestFor("hi"),
    );
    expect([reply.text, reply.calls]).toEqual(["So: this.", [{ id: "a", name: "Read", input: { a: 1 } }]]);
    expect(reply.events.flatMap((event) => ("index" in event ? [event.index] : []))).toEqual([0, 0, 0, 0, 1, 1, 1]);
  });

  test("that goes on with a block which it did not begin is not understood", async () => {
    const { error } = await readFailure(clientWith([words(3, "lost"), ...END]), requestFor("hi"));
    expect([error.class, error.message]).toEqual(["retryable", "Cannot read the reply: it goes on with block 3, which is not open"]);
  });

  test("may leave out ids, give one twice or one that the conversation holds: every call gets its own (V-264)", async () => {
    const ids = ["", "call:1|x", "call:1|x", undefined, "old", "new"];
    const blocks = ids.flatMap((id, index) => [start(index, { type: "tool_use", ...(id !== undefined && { id }), name: "List" }), stop(index)]);
    const messages = [
      userText("go"),
      { role: "assistant" as const, content: [{ type: "tool_use" as const, id: "old", name: "List", input: {} }] },
      { role: "user" as const, content: [{ type: "tool_result" as const, tool_use_id: "old", content: "none" }] },
    ];
    const { calls } = await readReply(clientWith([...blocks, ...END]), requestFor("", { messages }));
    const madeUp = expect.stringMatching(/^toolu_[0-9a-f]{32}$/) as string;
    expect(calls.map(({ id }) => id)).toEqual([madeUp, "call:1|x", madeUp, madeUp, madeUp, "new"]);
    expect(new Set([...calls.map(({ id }) => id), "old"]).size).toBe(7);
  });

  test("takes back the ids that were made up for it (V-264)", async () => {
    const twice: Reply = { content: ["Read", "Grep"].map((name) => ({ type: "tool_use", id: "call_0", name, input: {} })) };
    await using api = startMessagesApi({ script: [twice, twice, { content: [{ type: "text", text: "done" }] }] });
    const client = clientOf(api);
    let request = requestFor("go", { tools: TOOLS });
    for (let turn = 0; turn < 2; turn++) {
      const { calls } = await readReply(client, request);
      const content = calls.map((call): ToolUseBlock => ({ type: "tool_use", ...call }));
      const results = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: "none" }));
      request = { ...request, messages: [...request.messages, { role: "assistant", content }, { role: "user", content: results }] };
    }
    expect((await readReply(client, request)).text).toBe("done");
    api.expectNoRefusals();
  });

  test.each([
    ["null", { type: "message_delta", delta: { stop_reason: null }, usage: {} }],
    ["nothing", { type: "message_delta", usage: { output_tokens: 3 } }],
  ])("that says %s of why a reply with calls ended has ended it for them", async (_, end) => {
    const { stopReason } = await readReply(clientWith([start(0, { type: "tool_use", id: "a", name: "List" }), stop(0), end, { type: "message_stop" }]), requestFor("hi"));
    expect(stopReason).toBe("tool_use");
  });

  test("that says nothing of why a reply without calls ended has said nothing", async () => {
    const reply = await readReply(clientWith([start(0, { type: "text", text: "" }), words(0, "hi"), stop(0), { type: "message_stop" }]), requestFor("hi"));
    expect([reply.text, reply.stopReason]).toEqual(["hi", undefined]);
  });

  test("may say nothing of tokens, or null", async () => {
    const { events } = await readReply(clientWith([{ type: "message_start", message: {} }, { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: null }, { type: "message_stop" }]), requestFor("hi"));
    expect(events.slice(0, 2)).toEqual([{ type: "message_start", usage: {} }, { type: "message_delta", stopReason: "end_turn", usage: {} }]);
  });

  test.each([1, 2, 3, 7, 1_000])("may end lines with CRLF and send comments, in pieces of %i bytes", async (bytesAtOnce) => {
    const frames = [": PROCESSING", start(0, { type: "text", text: "" }), ": still there\n: and there", words(0, "ä👋\u2028"), "event: ping\ndata: {}", stop(0), ...END, "data: [DONE]"];
    const { text, stopReason } = await readReply(clientWith(frames, { lineEnd: "\r\n", bytesAtOnce }), requestFor("hi"));
    expect([text, stopReason]).toEqual(["ä👋\u2028", "tool_use"]);
  });

  test("may name an error by its event alone", async () => {
    const { error } = await readFailure(clientWith(['event: error\ndata: {"error":{"message":"out of memory"}}']), requestFor("hi"));
    expect([error.class, error.said]).toEqual(["retryable", "out of memory"]);
  });

  test.each<[Answer, string, string]>([
    [{ status: 503, body: "loading model", headers: { "content-type": "text/plain" } }, "retryable", "503: 503 loading model"],
    [{ status: 404, body: '{"error":"model \'x\' not found"}' }, "not_found", "404: model 'x' not found"],
    [{ status: 422, body: '{"detail":"no tools here"}' }, "invalid", "422: no tools here"],
    [{ status: 400, body: '{"object":"error","message":"bad","type":"BadRequestError","code":400}' }, "invalid", "400: bad"],
    [{ status: 400, body: '{"error":{"message":"bad","type":"BadRequestError","code":400}}' }, "invalid", "400 BadRequestError: bad"],
    [{ status: 400, body: '{"error":{"message":["a","b"],"type":7}}' }, "invalid", '400: ["a","b"]'],
    [{ status: 500, body: "[]" }, "retryable", "500"],
    [{ status: 500, body: "" }, "retryable", "500"],
    [{ status: 502, body: "<html>Bad gateway</html>", headers: { "content-type": "text/html", "request-id": null } }, "retryable", "Bad gateway"],
  ])("may refuse with any body: %j", async (answer, errorClass, message) => {
    await using api = startMessagesApi({ script: [answer] });
    const { error } = await readFailure(clientOf(api), requestFor("hi"));
    expect(error.class as string).toBe(errorClass);
    expect(error.message).toContain(message);
  });
});
