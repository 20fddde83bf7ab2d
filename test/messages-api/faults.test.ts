import { describe, expect, test } from "bun:test";
import type { Answer, Refusal, Reply, ReplyFaults } from "../support/messages-api/answer.ts";
import type { Json } from "../support/messages-api/json.ts";
import { startMessagesApi } from "../support/messages-api/server.ts";
import { thrownBy } from "../support/thrown.ts";
import { waitFor } from "../support/wait-for.ts";
import { ask, post, readEvents, typesOf, USER } from "./post.ts";

const REPLY: Reply = { content: [{ type: "text", text: "Let me look at it." }, { type: "tool_use", name: "Read", input: { path: "notes.txt" } }] };
const WHOLE = [
  "message_start ping",
  "content_block_start content_block_delta content_block_delta content_block_stop",
  "content_block_start content_block_delta content_block_delta content_block_stop",
  "message_delta message_stop",
].flatMap((types) => types.split(" "));
const STREAM = { stream: true, messages: [USER] };

function open(...script: readonly Answer[]) {
  return startMessagesApi({ script });
}

async function eventsWith(faults: ReplyFaults): Promise<(Json | string)[]> {
  await using api = open({ ...REPLY, faults });
  return await readEvents(await post(api, STREAM));
}

describe("a reply", () => {
  test("is streamed in the order of the service", async () => {
    const events = await eventsWith({});
    expect(typesOf(events)).toEqual(WHOLE);
    expect(events[2]).toEqual({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
    expect(events[6]).toEqual({ type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "toolu_1_1", name: "Read", input: {} } });
    expect(events[10]).toMatchObject({ delta: { stop_reason: "tool_use", stop_sequence: null } });
    const parts = events.flatMap((event) => (event as { delta?: { partial_json?: string } }).delta?.partial_json ?? []);
    expect(JSON.parse(parts.join(""))).toEqual({ path: "notes.txt" });
  });

  test("is the same message when it is not streamed", async () => {
    await using api = open(REPLY);
    expect(await ask(api, { messages: [USER] })).toMatchObject({
      content: [{ type: "text", text: "Let me look at it." }, { type: "tool_use", id: "toolu_1_1", name: "Read", input: { path: "notes.txt" } }],
      stop_reason: "tool_use",
    });
  });

  test("carries the ids, the model, the stop reason, its details and the numbers that it is told to", async () => {
    const told: Reply = {
      content: [{ type: "tool_use", id: "call:1/é", name: "Read", input: {} }, { type: "redacted_thinking", data: "d" }],
      id: "chatcmpl-1",
      model: "local",
      stopReason: "refusal",
      stopDetails: { type: "refusal", category: "cyber", explanation: null },
      usage: { output_tokens: 7, cache_read_input_tokens: null },
      headers: { "x-extra": "1" },
    };
    await using api = open(told, told, REPLY);
    const response = await post(api, { messages: [USER] });
    expect(response.headers.get("x-extra")).toBe("1");
    const message = (await response.json()) as { content: readonly Json[] };
    expect(message).toMatchObject({ id: "chatcmpl-1", model: "local", stop_reason: "refusal", stop_details: { category: "cyber" }, usage: { output_tokens: 7, cache_read_input_tokens: null } });
    const events = await readEvents(await post(api, STREAM));
    expect(events[1 + events.findLastIndex((event) => typesOf([event])[0] === "content_block_stop")]).toMatchObject({ delta: { stop_reason: "refusal", stop_details: { category: "cyber" } } });
    // A foreign id goes back as it came.
    const results = { role: "user", content: [{ type: "tool_result", tool_use_id: "call:1/é", content: "x" }] };
    expect(await ask(api, { messages: [USER, { role: "assistant", content: message.content }, results] })).toMatchObject({ type: "message" });
  });

  test.each(["model_context_window_exceeded", "max_tokens", "compaction", "some_future_reason"])("stops with %s when told", async (stopReason) => {
    await using api = open({ ...REPLY, stopReason });
    expect((await ask(api, { messages: [USER] })).stop_reason).toBe(stopReason);
  });
});

describe("events", () => {
  test("are left out by type", async () => {
    expect(typesOf(await eventsWith({ omittedEvents: ["ping", "message_stop"] }))).toEqual(WHOLE.filter((type) => type !== "ping" && type !== "message_stop"));
  });

  test("change places", async () => {
    expect(typesOf(await eventsWith({ swappedEvents: [0, 2] })).slice(0, 3)).toEqual(["content_block_start", "ping", "message_start"]);
  });

  test("of unknown kinds, and deltas, are put in before the positions that are named", async () => {
    const delta = { type: "content_block_delta", index: 0, delta: { type: "x_delta" } };
    const events = await eventsWith({ insertedEvents: [{ at: 0, event: { type: "weather" } }, { at: 3, event: delta }] });
    expect([events[0], events[4]]).toEqual([{ type: "weather" }, delta]);
    expect(events).toHaveLength(WHOLE.length + 2);
  });

  test("are cut in half", async () => {
    const types = typesOf(await eventsWith({ malformedEvent: 3 }));
    expect(types).toEqual(WHOLE.with(3, "no JSON"));
  });

  test.each([
    [4, WHOLE.slice(0, 4)],
    [undefined, WHOLE.slice(0, -1)],
  ])("end in an error after %p", async (afterEvents, before) => {
    const events = await eventsWith({ errorEvent: { type: "overloaded_error", message: "Overloaded", ...(afterEvents !== undefined && { afterEvents }) } });
    expect(typesOf(events)).toEqual([...before, "error"]);
    expect(events.at(-1)).toEqual({ type: "error", error: { type: "overloaded_error", message: "Overloaded" }, request_id: "req_1" });
  });

  test("start calls without input, and say nothing about the cache", async () => {
    const events = await eventsWith({ withoutToolInput: true, withoutCacheUsage: true });
    expect(events[6]).toEqual({ type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "toolu_1_1", name: "Read" } });
    const { usage } = events[10] as { usage: Json };
    expect(Object.keys(usage)).toEqual(["input_tokens", "output_tokens"]);
  });

  test("carry input that was cut short", async () => {
    await using api = open({ content: [{ type: "tool_use", name: "Read", input: {}, inputJson: '{"path":"no' }], stopReason: "max_tokens" });
    const events = await readEvents(await post(api, STREAM));
    expect(events[3]).toEqual({ type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"path":"no' } });
  });

  test("are held back one by one", async () => {
    const startedAt = performance.now();
    await eventsWith({ deltaDelayMs: 20 });
    expect(performance.now() - startedAt).toBeGreaterThan(4 * 20 - 5);
  });
});

describe("a body", () => {
  test.each([0, 1, 100, 700])("ends cleanly after %i bytes", async (atByte) => {
    await using api = open({ ...REPLY, faults: { breakOff: { how: "end", atByte } } });
    const response = await post(api, STREAM);
    expect(response.status).toBe(200);
    expect((await response.bytes()).length).toBe(atByte);
  });

  test("ends cleanly after a number of events", async () => {
    expect(typesOf(await eventsWith({ breakOff: { how: "end", afterEvents: 5 } }))).toEqual(WHOLE.slice(0, 5));
  });

  test("that is not streamed can be cut as well", async () => {
    await using api = open({ ...REPLY, faults: { breakOff: { how: "end", atByte: 20 } } });
    expect(await (await post(api, { messages: [USER] })).text()).toBe('{"id":"msg_1","type"');
  });

  test("breaks off with its connection, and what was sent before arrives", async () => {
    await using api = open({ ...REPLY, faults: { breakOff: { how: "reset", atByte: 50 } } });
    const reader = (await post(api, STREAM)).body?.getReader();
    expect((await reader?.read())?.value?.length).toBe(50);
    expect(await thrownBy(() => reader?.read())).toMatchObject({ code: "ECONNRESET" });
    await waitFor(() => api.requests[0]?.isOver);
  });

  test("never begins when the connection is reset before", async () => {
    await using api = open({ ...REPLY, faults: { resetBeforeHeaders: true } });
    expect(await thrownBy(() => post(api, STREAM))).toMatchObject({ code: "ECONNRESET" });
    expect(api.requests[0]).toMatchObject({ status: undefined, isOver: true });
  });
});

describe("a stall", () => {
  test.each([0, 50])("after %i bytes lasts until the client goes away", async (atByte) => {
    await using api = open({ ...REPLY, faults: { breakOff: { how: "stall", atByte } } });
    const client = new AbortController();
    const response = await post(api, STREAM, { signal: client.signal });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.length).toBe(Math.max(1, atByte));
    const next = Promise.resolve(reader?.read()).catch(() => "gone");
    expect(api.requests[0]).toMatchObject({ status: 200, isOver: false, isAborted: false });
    client.abort();
    expect(await next).toBe("gone");
    await waitFor(() => api.requests[0]?.isOver);
    expect(api.requests[0]?.isAborted).toBe(true);
  });

  test("sends pings and nothing else where it is told to", async () => {
    await using api = open({ ...REPLY, faults: { breakOff: { how: "stall", afterEvents: 1, pingEveryMs: 1 } } });
    const client = new AbortController();
    let text = "";
    const response = await post(api, STREAM, { signal: client.signal });
    await thrownBy(async () => {
      for await (const chunk of response.body ?? []) {
        text += new TextDecoder().decode(chunk);
        if (text.split("event: ping\n").length > 5) client.abort();
      }
    });
    expect(new Set(text.match(/(?<=event: )\w+/g))).toEqual(new Set(["message_start", "ping"]));
  });

  test("ends with the server", async () => {
    const api = open({ ...REPLY, faults: { breakOff: { how: "stall", afterEvents: 2, pingEveryMs: 1 } } }, { ...REPLY, latencyMs: 60_000 });
    const reader = (await post(api, STREAM)).body?.getReader();
    const late = thrownBy(() => post(api, STREAM));
    await waitFor(() => api.requests.length === 2 && api.requests[1]?.text !== "");
    expect(api.requests.map(({ concurrent }) => concurrent)).toEqual([1, 2]);
    await api.stop();
    await late;
    for (let part = await reader?.read().catch(() => undefined); part !== undefined && !part.done; part = await reader?.read().catch(() => undefined));
    expect(api.requests[0]?.isOver).toBe(true);
    expect(await thrownBy(() => post(api, STREAM))).toBeInstanceOf(Error);
  });
});

describe("an answer that is no reply", () => {
  test.each<[Refusal, number, string]>([
    [{ status: 529, type: "overloaded_error", message: "Overloaded" }, 529, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}'],
    [{ status: 502, body: "<html>bad gateway</html>", headers: { "content-type": "text/html" } }, 502, "<html>bad gateway</html>"],
    [{ status: 200, body: "" }, 200, ""],
    [{ status: 200, body: '{"id":' }, 200, '{"id":'],
  ])("%j", async (refusal, status, body) => {
    await using api = open(refusal);
    const response = await post(api, STREAM);
    expect([response.status, await response.text()]).toEqual([status, body]);
    expect(response.headers.get("content-type")).toBe(refusal.headers?.["content-type"] ?? "application/json");
    // The script said so, the rules did not.
    api.expectNoRefusals();
  });

  test("carries headers, and another id or none", async () => {
    const headers = { "retry-after": "3600", "retry-after-ms": "10", "x-should-retry": "false", "request-id": "req_theirs" };
    await using api = open({ status: 429, headers }, { status: 500, headers: { "request-id": null } });
    const response = await post(api, STREAM);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
    expect(await response.json()).toMatchObject({ request_id: "req_theirs" });
    expect((await post(api, STREAM)).headers.has("request-id")).toBe(false);
  });

  test("is given up with the client that waits for it", async () => {
    const never = new Promise<Answer>(() => {});
    await using api = startMessagesApi({ script: (_request, index) => (index === 0 ? never : { status: 500 }) });
    const client = new AbortController();
    const gone = thrownBy(() => post(api, STREAM, { signal: client.signal }));
    await waitFor(() => api.requests[0]?.text);
    client.abort();
    await gone;
    await waitFor(() => api.requests[0]?.isOver);
    await post(api, STREAM);
    expect(api.requests.map(({ isAborted, concurrent }) => [isAborted, concurrent])).toEqual([[true, 1], [false, 1]]);
  });

  test("comes as late as it is told to", async () => {
    await using api = open({ status: 500, latencyMs: 50 });
    const startedAt = performance.now();
    await post(api, STREAM);
    expect(performance.now() - startedAt).toBeGreaterThan(45);
  });
});

describe("the log", () => {
  test("holds what arrived, and how many requests were being answered", async () => {
    const released = Promise.withResolvers<void>();
    await using api = startMessagesApi({
      script: async (request) => {
        if (request.concurrent < 3) await released.promise;
        released.resolve();
        return { content: [{ type: "text", text: String(request.body["model"]) }] };
      },
    });
    const startedAtMs = Date.now();
    const replies = await Promise.all(["a", "b", "c"].map((model) => ask(api, { model, messages: [USER] })));
    expect(replies.map(({ content }) => content[0]?.["text"])).toEqual(["a", "b", "c"]);
    expect(api.requests.map(({ concurrent }) => concurrent)).toEqual([1, 2, 3]);
    const [request] = api.requests;
    expect(request).toMatchObject({ number: 1, method: "POST", path: "/v1/messages", status: 200, isOver: true, isAborted: false, refused: undefined });
    expect(request?.headers["anthropic-version"]).toBe("2023-06-01");
    expect(JSON.parse(request?.text ?? "")).toEqual(request?.body);
    expect(request?.arrivedAtMs).toBeWithin(startedAtMs, Date.now() + 1);
    await ask(api, { messages: [USER] });
    expect(api.requests[3]?.concurrent).toBe(1);
  });
});
