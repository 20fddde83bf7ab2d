import { describe, expect, test } from "bun:test";
import { userText, type Message } from "../../src/core/message.ts";
import { openAnthropicModel } from "../../src/model/anthropic.ts";
import type { ModelClient, ModelEvent } from "../../src/model/client.ts";
import { readEndpoint } from "../../src/model/credentials.ts";
import { decideRetry } from "../../src/model/retry.ts";
import type { Reply } from "../support/messages-api/answer.ts";
import { startMessagesApi, type MessagesApi } from "../support/messages-api/server.ts";
import { readFailure, readReply, requestFor } from "../support/model-reply.ts";

const OK: Reply = { content: [{ type: "text", text: "ok" }] };

function clientOf(api: MessagesApi, model = "claude-opus-5-5"): ModelClient {
  return openAnthropicModel({ model, endpoint: readEndpoint(api.env()) });
}

function endOf(events: readonly ModelEvent[]) {
  return events.find((event) => event.type === "message_delta");
}

describe("the service", () => {
  test.each([0, 1, 2, 3, 4, 5])("that is overloaded %i times is asked once for each decision to try again, and names every request (V-255)", async (times) => {
    const overloaded = Array.from({ length: times }, () => ({ status: 529, type: "overloaded_error", message: "Overloaded" }));
    await using api = startMessagesApi({ script: [...overloaded, OK] });
    const client = clientOf(api);
    const failed: (string | undefined)[] = [];
    for (let attempt = 1; attempt <= times; attempt++) {
      const { error } = await readFailure(client, requestFor("hi"));
      failed.push(error.requestId);
      expect(decideRetry(error, { attempt, attemptsMax: 6, random: () => 0.5 })).toMatchObject({ retry: true });
    }
    expect((await readReply(client, requestFor("hi"))).text).toBe("ok");
    expect(failed).toEqual(Array.from({ length: times }, (_, index) => `req_${index + 1}`));
    expect(api.requests).toHaveLength(times + 1);
  });

  test.each([
    [400, "invalid_request_error"],
    [401, "authentication_error"],
    [402, "billing_error"],
    [403, "permission_error"],
    [404, "not_found_error"],
    [413, "request_too_large"],
  ])("that refuses with %i is not asked again (V-258)", async (status, type) => {
    await using api = startMessagesApi({ script: [{ status, type, message: "no" }] });
    const { error } = await readFailure(clientOf(api), requestFor("hi"));
    expect(decideRetry(error, { attempt: 1, attemptsMax: 9 })).toEqual({ retry: false });
    expect([error.type, error.said, api.requests.length]).toEqual([type, "no", 1]);
  });

  test("that wants an hour to pass is not waited for, and says so (V-256)", async () => {
    await using api = startMessagesApi({ script: [{ status: 429, type: "rate_limit_error", message: "slow", headers: { "retry-after": "3600" } }] });
    const { error } = await readFailure(clientOf(api), requestFor("hi"));
    expect(decideRetry(error, { attempt: 1, attemptsMax: 9 })).toEqual({ retry: false });
    expect(error.message).toContain("asks to wait 3600 s");
  });

  test.each([0, 1, 3, 5])("that fails within a reply after %i events has given no reply (V-259)", async (afterEvents) => {
    await using api = startMessagesApi({ script: [{ ...OK, faults: { errorEvent: { type: "overloaded_error", message: "sorry", afterEvents } } }] });
    const { error, events } = await readFailure(clientOf(api), requestFor("hi"));
    expect(error).toMatchObject({ class: "retryable", status: undefined, requestId: "req_1", type: "overloaded_error", said: "sorry" });
    expect(events.map(({ type }) => type)).not.toContain("message_stop");
  });

  test("that ends a stream in order but without its last event has given no reply (V-261)", async () => {
    await using api = startMessagesApi({ script: [{ ...OK, faults: { omittedEvents: ["message_stop"] } }] });
    const { error } = await readFailure(clientOf(api), requestFor("hi"));
    expect([error.class, error.message]).toEqual(["retryable", "The reply ended before it was complete"]);
  });

  test("that falls silent, or only pings, is given up, the one sooner than the other (V-262)", async () => {
    const stall = (pingEveryMs?: number): Reply => ({ ...OK, faults: { breakOff: { how: "stall", afterEvents: 3, ...(pingEveryMs !== undefined && { pingEveryMs }) } } });
    await using api = startMessagesApi({ script: [stall(), stall(20)] });
    const client = openAnthropicModel({ model: "m", endpoint: readEndpoint(api.env()), silence: { silentMs: 500, pingsOnlyMs: 700 } });
    const messages = [];
    for (let request = 0; request < 2; request++) messages.push((await readFailure(client, requestFor("hi"))).error.message);
    expect(messages).toEqual(["The model was silent for 0.5 s", "The model was silent for 0.7 s"]);
  });

  test("gets thinking back byte for byte and in order, hidden and empty thinking too (V-268)", async () => {
    const thought: Reply = {
      content: [
        { type: "thinking", thinking: "Wéll…\n 👋", signature: "c2ln+/==" },
        { type: "redacted_thinking", data: "ZGF0YQ==" },
        { type: "thinking", thinking: "", signature: "ZW1wdHk=" },
        { type: "tool_use", id: "toolu_a", name: "Read", input: {} },
      ],
    };
    await using api = startMessagesApi({ script: [thought, OK] });
    const client = clientOf(api);
    const tools = [{ name: "Read", description: "Reads", input_schema: { type: "object" } }];
    const request = requestFor("go", { tools });
    await readReply(client, request);
    const messages: Message[] = [
      userText("go"),
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Wéll…\n 👋", signature: "c2ln+/==" },
          { type: "redacted_thinking", data: "ZGF0YQ==" },
          { type: "thinking", thinking: "", signature: "ZW1wdHk=" },
          { type: "tool_use", id: "toolu_a", name: "Read", input: {} },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_a", content: "x" }] },
    ];
    expect((await readReply(client, { ...request, messages })).text).toBe("ok");
    api.expectNoRefusals();
  });

  test("may pause a turn again and again, and gets it back as it is (V-271)", async () => {
    const paused: Reply = { content: [{ type: "text", text: "so far" }], stopReason: "pause_turn" };
    await using api = startMessagesApi({ script: [...Array.from({ length: 6 }, () => paused), OK], rules: { allowsPrefill: false } });
    const client = clientOf(api);
    const content: { type: "text"; text: string }[] = [];
    const next = () => requestFor("", { messages: [userText("go"), ...(content.length === 0 ? [] : [{ role: "assistant" as const, content: [...content] }])] });
    for (let pause = 0; pause < 6; pause++) {
      expect((await readReply(client, next())).stopReason).toBe("pause_turn");
      content.push({ type: "text", text: "so far" });
    }
    expect((await readReply(client, next())).text).toBe("ok");
    api.expectNoRefusals();
  });

  test("says in three ways that a conversation is too long (V-273)", async () => {
    await using api = startMessagesApi({
      rules: { contextTokensMax: 1_000 },
      script: [{ status: 413, type: "request_too_large", message: "Request exceeds the maximum size" }, { ...OK, stopReason: "model_context_window_exceeded" }],
    });
    const client = clientOf(api);
    expect((await readFailure(client, requestFor("long ".repeat(2_000)))).error).toMatchObject({ class: "too_long", status: 400 });
    expect((await readFailure(client, requestFor("hi"))).error).toMatchObject({ class: "too_long", status: 413 });
    expect((await readReply(client, requestFor("hi"))).stopReason).toBe("model_context_window_exceeded");
  });

  test.each(["compaction", "stop_sequence", "something_new"])("may end a reply for %s, which is passed on (V-274)", async (stopReason) => {
    await using api = startMessagesApi({ script: [{ ...OK, stopReason }] });
    expect(await readReply(clientOf(api), requestFor("hi"))).toMatchObject({ text: "ok", stopReason });
  });

  test("gets blocks of kinds that this build does not know back as they came (V-276)", async () => {
    const raw = { type: "x_hologram", data: { deep: [1, null] } } as const;
    await using api = startMessagesApi({ script: [{ content: [raw, { type: "text", text: "there" }] }, OK] });
    const client = clientOf(api);
    const { events } = await readReply(client, requestFor("go"));
    expect(events).toContainEqual({ type: "block_start", index: 0, block: { type: "unknown", raw } });
    const messages: Message[] = [userText("go"), { role: "assistant", content: [{ type: "unknown", raw }, { type: "text", text: "there" }] }, userText("on")];
    await readReply(client, requestFor("", { messages }));
    api.expectNoRefusals();
  });

  test("may end a reply with nothing in it, which is a whole reply (V-277)", async () => {
    await using api = startMessagesApi({ script: [{ content: [] }] });
    const { text, calls, stopReason } = await readReply(clientOf(api), requestFor("hi"));
    expect([text, calls, stopReason]).toEqual(["", [], "end_turn"]);
  });

  test("counts a prompt once in parts: read from the cache, written to it, and the rest (V-280)", async () => {
    await using api = startMessagesApi({ script: () => OK });
    const client = clientOf(api);
    const usageOf = async (...messages: readonly Message[]) => {
      const [start] = (await readReply(client, requestFor("", { system: ["s".repeat(4_000)], messages }))).events;
      const { input = Number.NaN, cacheRead = Number.NaN, cacheWrite = Number.NaN } = start?.type === "message_start" ? start.usage : {};
      return { input, cacheRead, cacheWrite };
    };
    const first = await usageOf(userText("go"));
    const second = await usageOf(userText("go"), { role: "assistant", content: [{ type: "text", text: "ok" }] }, userText("on"));
    expect(first).toMatchObject({ input: 0, cacheRead: 0 });
    expect(first.cacheWrite).toBeGreaterThan(900);
    expect(second).toMatchObject({ input: 0, cacheRead: first.cacheWrite });
    expect(second.cacheWrite).toBeGreaterThan(0);
  });

  test("says why it refused, streamed or not, and only what it said", async () => {
    const refused = (stopDetails?: Readonly<Record<string, unknown>>): Reply => ({ content: [], stopReason: "refusal", ...(stopDetails !== undefined && { stopDetails }) });
    const details = { type: "refusal", category: "cyber", explanation: "Looks like an exploit" };
    await using api = startMessagesApi({ script: [refused(details), refused(details), refused({ type: "refusal", category: null, explanation: null }), refused()] });
    const client = clientOf(api);
    const ends = [];
    for (const isWhole of [false, true, false, false]) {
      const events: ModelEvent[] = [];
      for await (const event of client.stream(requestFor("hi"), new AbortController().signal, { isWhole })) events.push(event);
      const end = endOf(events);
      ends.push(end?.type === "message_delta" ? end.stopDetails : end);
    }
    const said = { category: "cyber", explanation: "Looks like an exploit" };
    expect(ends).toEqual([said, said, {}, undefined]);
  });

  test("never has a credential repeated, neither in a message nor in what it said (V-289)", async () => {
    const key = "sk-ant-0123456789";
    await using api = startMessagesApi({ script: [{ status: 400, type: "invalid_request_error", message: `header x-api-key: ${key}` }, { status: 500, body: `<pre>${key}</pre>` }], credential: key });
    for (let request = 0; request < 2; request++) {
      const { error } = await readFailure(clientOf(api), requestFor("hi"));
      expect(`${error.message} ${error.said}`).not.toContain(key);
      expect(error.said).toContain("[credential]");
    }
  });

  test("gets one credential where two are set (V-291)", async () => {
    await using api = startMessagesApi({ script: [OK] });
    const endpoint = readEndpoint({ ...api.env(), ANTHROPIC_AUTH_TOKEN: "tok" });
    await readReply(openAnthropicModel({ model: "m", endpoint }), requestFor("hi"));
    api.expectNoRefusals();
    expect(endpoint.warnings).toHaveLength(1);
  });

  test("that points elsewhere is not followed, in one piece neither (V-292)", async () => {
    await using other = startMessagesApi({ script: [OK] });
    await using api = startMessagesApi({ script: () => ({ status: 307, body: "", headers: { location: `${other.url}/v1/messages` } }) });
    for (const isWhole of [false, true]) {
      const client = clientOf(api);
      const { error } = await readFailure({ ...client, stream: (request, signal) => client.stream(request, signal, { isWhole }) }, requestFor("hi"));
      expect(error).toMatchObject({ class: "invalid", status: 307 });
    }
    expect(other.requests).toEqual([]);
  });
});
