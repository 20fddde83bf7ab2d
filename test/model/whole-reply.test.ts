import { describe, expect, test } from "bun:test";
import { openAnthropicModel } from "../../src/model/anthropic.ts";
import type { ModelClient } from "../../src/model/client.ts";
import { readEndpoint } from "../../src/model/credentials.ts";
import type { SilenceLimits } from "../../src/model/stream-watchdog.ts";
import type { Reply } from "../support/messages-api/answer.ts";
import { startMessagesApi } from "../support/messages-api/server.ts";
import { readFailure, readReply, requestFor, type CollectedReply } from "../support/model-reply.ts";

const ANSWER: Reply = {
  content: [
    { type: "thinking", thinking: "hm", signature: "c2ln" },
    { type: "text", text: "Reading, ünd so wëiter 👋." },
    { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a.txt" } },
    { type: "tool_use", id: "toolu_2", name: "List", input: {} },
  ],
};

/** A client that asks for every reply in one piece. */
function wholeClientOf(env: Readonly<Record<string, string>>, silence?: SilenceLimits): ModelClient {
  const model = openAnthropicModel({ model: "claude-opus-5-5", endpoint: readEndpoint(env), ...(silence !== undefined && { silence }) });
  return { ...model, stream: (request, signal) => model.stream(request, signal, { isWhole: true }) };
}

function clientWith(response: () => Response): ModelClient {
  return openAnthropicModel({
    model: "m",
    endpoint: readEndpoint({ ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }),
    fetch: () => Promise.resolve(response()),
  });
}

const summary = ({ text, calls, stopReason }: CollectedReply) => ({ text, calls, stopReason });

describe("a reply in one piece", () => {
  test("says the same as a stream of it", async () => {
    await using api = startMessagesApi({ script: [ANSWER, ANSWER] });
    const streamed = await readReply(openAnthropicModel({ model: "claude-opus-5-5", endpoint: readEndpoint(api.env()) }), requestFor("hi"));
    const whole = await readReply(wholeClientOf(api.env()), requestFor("hi"));
    expect(summary(whole)).toEqual(summary(streamed));
    expect(whole.events.map(({ type }) => type).join(" ").replaceAll("block_", "")).toBe(
      "message_start start stop start delta stop start delta stop start stop message_delta message_stop",
    );
    expect(whole.events[0]).toMatchObject({ requestId: "req_2", usage: { input: expect.any(Number) as number } });
    expect(whole.events[1]).toEqual({ type: "block_start", index: 0, block: { type: "thinking", thinking: "hm", signature: "c2ln" } });
    expect(api.requests.map(({ body }) => body["stream"])).toEqual([true, false]);
    api.expectNoRefusals();
  });

  test("is asked for with any output limit, though it may take longer than ten minutes", async () => {
    await using api = startMessagesApi({ script: [ANSWER] });
    await readReply(wholeClientOf(api.env()), requestFor("hi", { maxOutputTokens: 128_000 }));
    expect(api.requests[0]?.body).toMatchObject({ max_tokens: 128_000, stream: false });
  });

  test("that stays away is given up", async () => {
    await using api = startMessagesApi({ script: [{ ...ANSWER, faults: { breakOff: { how: "stall", atByte: 10 } } }] });
    const { error } = await readFailure(wholeClientOf(api.env(), { silentMs: 50, pingsOnlyMs: 60_000 }), requestFor("hi"));
    expect([error.class, error.message]).toEqual(["retryable", "The model was silent for 0.05 s"]);
  });

  test("that is reset or stopped is told apart", async () => {
    await using api = startMessagesApi({ script: [{ ...ANSWER, faults: { breakOff: { how: "reset", atByte: 40 } } }, { ...ANSWER, latencyMs: 60_000 }] });
    const client = wholeClientOf(api.env());
    expect((await readFailure(client, requestFor("hi"))).error.class).toBe("retryable");
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    expect((await readFailure(client, requestFor("hi"), controller.signal)).error.class).toBe("aborted");
  });

  test("cut after any byte is a failure that may pass, and no event of it is passed on (V-279)", async () => {
    const json = new TextEncoder().encode(JSON.stringify({ type: "message", content: ANSWER.content, stop_reason: "tool_use", usage: { input_tokens: 1, output_tokens: 2 } }));
    for (let cut = 0; cut < json.length; cut++) {
      const { events, error } = await readFailure(clientWith(() => new Response(json.slice(0, cut), { headers: { "content-type": "application/json" } })), requestFor("hi"));
      expect([events.length, error.class]).toEqual([0, "retryable"]);
    }
  });

  test("is taken though a stream was asked for, and the other way round", async () => {
    const message = { content: [{ type: "text", text: "whole" }], stop_reason: "end_turn" };
    const object = clientWith(() => Response.json(message));
    expect((await readReply(object, requestFor("hi"))).text).toBe("whole");
    const frames = ['{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"str"}}', '{"type":"content_block_stop","index":0}', '{"type":"message_stop"}'];
    const stream = clientWith(() => new Response(frames.map((data) => `data: ${data}\n\n`).join(""), { headers: { "content-type": "Text/Event-Stream" } }));
    const events: string[] = [];
    for await (const event of stream.stream(requestFor("hi"), new AbortController().signal, { isWhole: true })) events.push(event.type);
    expect(events).toEqual(["block_start", "block_delta", "block_stop", "message_stop"]);
  });

  test.each([
    ["{}", "invalid"],
    ['{"content":"text"}', "invalid"],
    ['{"content":[1]}', "retryable"],
    ["[]", "retryable"],
    ['{"type":"error","error":{"type":"overloaded_error","message":"later"}}', "retryable"],
    ['{"type":"error","error":{"type":"authentication_error","message":"who"}}', "auth"],
  ] as const)("a 200 with the object %s is no reply but %s (V-279)", async (body, errorClass) => {
    const client = clientWith(() => new Response(body, { headers: { "content-type": "application/json" } }));
    expect((await readFailure(client, requestFor("hi"))).error.class).toBe(errorClass);
  });
});
