import { describe, expect, test } from "bun:test";
import { openAnthropicModel } from "../../src/model/anthropic.ts";
import type { ModelClient } from "../../src/model/client.ts";
import { readEndpoint } from "../../src/model/credentials.ts";
import type { SilenceLimits } from "../../src/model/stream-watchdog.ts";
import { refusal, reply, sse, text, thinking, toolUse, type ApiReply } from "../support/api-reply.ts";
import { readFailure, readReply, requestFor } from "../support/model-reply.ts";
import { startScriptedApi, type ScriptedApi } from "../support/scripted-api-server.ts";
import { waitFor } from "../support/wait-for.ts";

const KEY = "sk-test-0123456789";

function clientOf(
  api: Pick<ScriptedApi, "url">,
  { silence, ...env }: { readonly silence?: SilenceLimits } & Readonly<Record<string, unknown>> = {},
): ModelClient {
  const endpoint = readEndpoint({ ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: KEY, ...(env as Record<string, string>) });
  return openAnthropicModel({ model: "claude-test", endpoint, ...(silence !== undefined && { silence }) });
}

describe("a reply", () => {
  test("arrives as events in the order of the service, text unchanged", async () => {
    await using api = startScriptedApi({ turns: [{ ...reply(text("Hello, wörld 👋!")), usage: { input_tokens: 7, output_tokens: 5 }, chunkChars: 8 }] });
    const { events } = await readReply(clientOf(api), requestFor("hi"));
    expect(events).toEqual([
      { type: "message_start", usage: { input: 7, output: 1, cacheRead: 0, cacheWrite: 0 }, requestId: "req_1" },
      { type: "block_start", index: 0, block: { type: "text", text: "" } },
      { type: "block_delta", index: 0, delta: { type: "text_delta", text: "Hello, w" } },
      { type: "block_delta", index: 0, delta: { type: "text_delta", text: "örld 👋!" } },
      { type: "block_stop", index: 0 },
      { type: "message_delta", stopReason: "end_turn", usage: { output: 5 } },
      { type: "message_stop" },
    ]);
  });

  test("carries tool calls and thinking with their signature", async () => {
    const blocks = [thinking("hm", "sig=="), text("Reading."), toolUse("Read", { file_path: "a b.txt", limit: 3 })];
    await using api = startScriptedApi({ turns: [reply(...blocks)] });
    const { events, calls, stopReason } = await readReply(clientOf(api), requestFor("hi"));
    expect(calls).toEqual([{ id: "toolu_Read", name: "Read", input: { file_path: "a b.txt", limit: 3 } }]);
    expect(stopReason).toBe("tool_use");
    expect(events).toContainEqual({ type: "block_delta", index: 0, delta: { type: "signature_delta", signature: "sig==" } });
  });

  test("keeps blocks of unknown kinds and leaves out unknown events (V-276)", async () => {
    const raw = { type: "hologram", data: { deep: [1] } };
    const editEvents: ApiReply["editEvents"] = (events) => [
      ...events.slice(0, 1),
      sse({ type: "weather", text: "rain" }),
      sse({ type: "content_block_start", index: 0, content_block: raw }),
      sse({ type: "content_block_delta", index: 0, delta: { type: "hologram_delta", data: 1 } }),
      ...events.slice(-3),
    ];
    await using api = startScriptedApi({ turns: [{ ...reply(text("x")), editEvents }] });
    const { events } = await readReply(clientOf(api), requestFor("hi"));
    expect(events.map((event) => event.type)).toEqual(["message_start", "block_start", "block_delta", "block_stop", "message_delta", "message_stop"]);
    expect(events[1]).toEqual({ type: "block_start", index: 0, block: { type: "unknown", raw } });
    expect(events[2]).toEqual({ type: "block_delta", index: 0, delta: { type: "unknown" } });
  });

  test("says only what the service said about tokens: null is not zero (V-280)", async () => {
    const usage = { input_tokens: 9, cache_read_input_tokens: null, cache_creation_input_tokens: 4 };
    await using api = startScriptedApi({ turns: [{ ...reply(text("x")), usage }] });
    const { events } = await readReply(clientOf(api), requestFor("hi"));
    expect(events[0]).toMatchObject({ usage: { input: 9, output: 1, cacheWrite: 4 } });
    expect(events[0]).not.toHaveProperty("usage.cacheRead");
  });

  test.each(["max_tokens", "pause_turn", "refusal", "some_future_reason"])("passes the stop reason %s on", async (stopReason) => {
    await using api = startScriptedApi({ turns: [{ ...reply(text("x")), stopReason }] });
    expect((await readReply(clientOf(api), requestFor("hi"))).stopReason).toBe(stopReason);
  });

  test("is read to its end, so that the next request takes the same connection", async () => {
    await using api = startScriptedApi({ turns: () => reply(text("x")) });
    const client = clientOf(api);
    for (const prompt of ["a", "b", "c"]) await readReply(client, requestFor(prompt));
    expect(new Set(api.requests.map((request) => request.connection)).size).toBe(1);
  });

  test("is whole even when the service does not close the stream behind it", async () => {
    await using api = startScriptedApi({ turns: [{ ...reply(text("whole")), fault: { kind: "pings" } }] });
    expect((await readReply(clientOf(api), requestFor("hi"))).text).toBe("whole");
  });
});

describe("credentials", () => {
  test.each([
    ["an API key", {}, KEY],
    ["a token", { ANTHROPIC_API_KEY: undefined, ANTHROPIC_AUTH_TOKEN: "tok-1" }, "tok-1"],
    ["of both the key (V-291)", { ANTHROPIC_AUTH_TOKEN: "tok-1" }, KEY],
    ["without either a placeholder, for a compatible server needs none", { ANTHROPIC_API_KEY: undefined }, "no-key-needed"],
  ])("%s goes into one header", async (_, env, sent) => {
    await using api = startScriptedApi({ turns: [reply(text("x"))] });
    await readReply(clientOf(api, env), requestFor("hi"));
    const values = Object.values(api.requests[0]?.headers ?? {}).filter((value) => /sk-test|tok-1|no-key/.test(value));
    expect(values).toEqual([`Bearer ${sent}`]);
  });

  test("of the process's environment are not looked at", async () => {
    await using api = startScriptedApi({ turns: [reply(text("x"))] });
    const code = `
      import { openModel } from "./src/model/registry.ts";
      const model = await openModel({ model: "m", cwd: "/", env: { ANTHROPIC_BASE_URL: "${api.url}", ANTHROPIC_API_KEY: "given" } });
      const request = { system: [], tools: [], maxOutputTokens: 1, messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }] };
      for await (const event of model.stream(request, new AbortController().signal)) void event;
    `;
    const env = { ...process.env, ANTHROPIC_BASE_URL: "http://127.0.0.1:9", ANTHROPIC_API_KEY: "wrong", ANTHROPIC_AUTH_TOKEN: "wrong" };
    const child = Bun.spawn([process.execPath, "-e", code], { cwd: `${import.meta.dir}/../..`, env, stdio: ["ignore", "pipe", "pipe"] });
    const output = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    expect(output).toEqual(["", "", 0]);
    expect(api.requests[0]?.headers["authorization"]).toBe("Bearer given");
    expect(api.requests[0]?.headers).not.toHaveProperty("x-api-key");
  });

  test("are not sent on when the service points elsewhere (V-292)", async () => {
    await using other = startScriptedApi({ turns: [reply(text("stolen"))] });
    await using api = startScriptedApi({ turns: [{ status: 307, body: "", headers: { location: `${other.url}/v1/messages` } }] });
    const { error } = await readFailure(clientOf(api), requestFor("hi"));
    expect(error).toMatchObject({ class: "invalid", status: 307 });
    expect(other.requests).toEqual([]);
  });

  test("never stand in a message (V-289)", async () => {
    await using api = startScriptedApi({ turns: [refusal(401, "authentication_error", `invalid key ${KEY}`)] });
    const { error } = await readFailure(clientOf(api), requestFor("hi"));
    expect(error.message).toContain("invalid key [credential]");
    expect(error.message).not.toContain(KEY);
  });
});

describe("a refused request", () => {
  test.each([
    [400, "invalid_request_error", "messages.0: wrong", "invalid"],
    [400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum", "too_long"],
    [400, "invalid_request_error", "Your credit balance is too low to access the API", "billing"],
    [401, "authentication_error", "invalid x-api-key", "auth"],
    [402, "billing_error", "payment", "billing"],
    [403, "permission_error", "not allowed", "auth"],
    [404, "not_found_error", "model: nope", "not_found"],
    [408, "timeout", "late", "retryable"],
    [409, "conflict_error", "again", "retryable"],
    [413, "request_too_large", "too large", "too_long"],
    [422, "unprocessable", "what", "invalid"],
    [429, "rate_limit_error", "slow down", "rate_limit"],
    [500, "api_error", "oops", "retryable"],
    [503, "unavailable", "later", "retryable"],
    [504, "timeout_error", "late", "retryable"],
    [529, "overloaded_error", "Overloaded", "retryable"],
  ] as const)("%i %s (%s) is %s, in one request, with its id", async (status, type, message, errorClass) => {
    await using api = startScriptedApi({ turns: [refusal(status, type, message)] });
    const { error, events } = await readFailure(clientOf(api), requestFor("hi"));
    expect(error).toMatchObject({ class: errorClass, status, requestId: "req_1" });
    expect(error.message).toStartWith(`Cannot get a reply from "claude-test": ${status} ${type}: ${message}`);
    expect(events).toEqual([]);
    expect(api.requests).toHaveLength(1);
  });

  test("carries how long to wait, and whether to try again", async () => {
    const headers = { "retry-after": "3600", "x-should-retry": "false" };
    await using api = startScriptedApi({ turns: [refusal(429, "rate_limit_error", "spent", headers)] });
    const { error } = await readFailure(clientOf(api), requestFor("hi"));
    expect(error).toMatchObject({ retryAfterMs: 3_600_000, shouldRetry: false });
    expect(error.message).toContain("asks to wait 3600 s");
  });

  test("is classed by its status where the body is a page, of which little is shown", async () => {
    const body = `<html>${"bad gateway ".repeat(10_000)}</html>`;
    await using api = startScriptedApi({ turns: [{ status: 502, body, headers: { "content-type": "text/html" } }] });
    const { error } = await readFailure(clientOf(api), requestFor("hi"));
    expect(error).toMatchObject({ class: "retryable", status: 502 });
    expect(error.message).toContain("bad gateway");
    expect(error.message.length).toBeLessThan(1_200);
  });

  test.each(["<html>login</html>", "{}", ""])("a 200 with the body %j is no reply (V-279)", async (body) => {
    await using api = startScriptedApi({ turns: [{ status: 200, body, headers: { "content-type": "text/html" } }] });
    const { error } = await readFailure(clientOf(api), requestFor("hi"));
    expect(error).toMatchObject({ class: "invalid", status: 200 });
    expect(error.message).toContain("ANTHROPIC_BASE_URL");
  });

  test("nobody listening is retryable and names the address", async () => {
    const closed = startScriptedApi({ turns: [] });
    await closed[Symbol.asyncDispose]();
    const { error } = await readFailure(clientOf(closed), requestFor("hi"));
    expect(error.class).toBe("retryable");
    expect(error.message).toMatch(/^Cannot reach "http:\/\/127\.0\.0\.1:\d+": /);
  });
});

describe("a reply that breaks off", () => {
  const answer = reply(text("Let me look."), toolUse("Read", { file_path: "a.txt" }));
  const eventCount = 11;

  test("has as many events as the tests below cut it at", async () => {
    await using api = startScriptedApi({ turns: [answer] });
    // One of them is a ping.
    expect((await readReply(clientOf(api), requestFor("hi"))).events).toHaveLength(eventCount - 1);
  });

  test.each(["end", "reset"] as const)("by %s is never taken for a short one, after whichever event (V-261)", async (kind) => {
    await using api = startScriptedApi({ turns: (_, index) => ({ ...answer, fault: { afterEvents: index, kind } }) });
    const client = clientOf(api);
    for (let afterEvents = 0; afterEvents < eventCount; afterEvents++) {
      const { error, events } = await readFailure(client, requestFor("hi"));
      expect(error.class).toBe("retryable");
      expect(events).toHaveLength(Math.max(0, afterEvents - (afterEvents >= 2 ? 1 : 0)));
    }
  });

  test("in the middle of an event is retryable", async () => {
    await using api = startScriptedApi({ turns: [{ ...answer, fault: { afterBytes: 700, kind: "end" } }] });
    expect((await readFailure(clientOf(api), requestFor("hi"))).error.class).toBe("retryable");
  });

  test("with an event that is no JSON is retryable", async () => {
    const editEvents: ApiReply["editEvents"] = (events) => [...events.slice(0, 3), { event: "content_block_delta", data: '{"type":' }];
    await using api = startScriptedApi({ turns: [{ ...answer, editEvents }] });
    const { error, events } = await readFailure(clientOf(api), requestFor("hi"));
    expect(error.class).toBe("retryable");
    expect(events).toHaveLength(2);
  });

  test("with an event that lacks what it must have is retryable and says what", async () => {
    const editEvents: ApiReply["editEvents"] = (events) => [...events.slice(0, 2), sse({ type: "content_block_start", index: 0 })];
    await using api = startScriptedApi({ turns: [{ ...answer, editEvents }] });
    const { error } = await readFailure(clientOf(api), requestFor("hi"));
    expect(error.class).toBe("retryable");
    expect(error.message).toContain('"content_block" is missing');
  });

  test.each([
    ["overloaded_error", "retryable"],
    ["api_error", "retryable"],
    ["rate_limit_error", "rate_limit"],
    ["invalid_request_error", "invalid"],
    ["something_new", "retryable"],
  ] as const)("with a %s event is %s, and names the request (V-259)", async (type, errorClass) => {
    await using api = startScriptedApi({ turns: [{ ...answer, fault: { afterEvents: 4, kind: { type, message: "sorry" } } }] });
    const { error, events } = await readFailure(clientOf(api), requestFor("hi"));
    expect(error).toMatchObject({ class: errorClass, status: undefined, requestId: "req_1" });
    expect(error.message).toContain(`${type}: sorry`);
    expect(events).toHaveLength(3);
  });
});

describe("silence", () => {
  const answer = reply(text("Let me look."));

  test.each([0, 1, 4])("ends a reply that stopped after %i events, and its connection (V-262, A96)", async (afterEvents) => {
    await using api = startScriptedApi({ turns: [{ ...answer, fault: { afterEvents, kind: "silence" } }] });
    const client = clientOf(api, { silence: { silentMs: 50, pingsOnlyMs: 60_000 } });
    const { error } = await readFailure(client, requestFor("hi"));
    expect(error.class).toBe("retryable");
    expect(error.message).toBe("The model was silent for 0.05 s");
    await waitFor(() => api.requests[0]?.isAborted);
  });

  test("ends a request that is not answered at all", async () => {
    await using api = startScriptedApi({ turns: [{ ...answer, delayMs: 60_000 }] });
    const { error } = await readFailure(clientOf(api, { silence: { silentMs: 50, pingsOnlyMs: 60_000 } }), requestFor("hi"));
    expect(error.class).toBe("retryable");
  });

  test("is not what pings are, but pings alone do not keep a reply going for ever (A96)", async () => {
    await using api = startScriptedApi({ turns: [{ ...answer, fault: { afterEvents: 3, kind: "pings" } }] });
    const client = clientOf(api, { silence: { silentMs: 500, pingsOnlyMs: 700 } });
    const { error, events } = await readFailure(client, requestFor("hi"));
    expect(error.message).toBe("The model was silent for 0.7 s");
    expect(events).toHaveLength(2);
  });

  test("does not count while the reader is busy", async () => {
    await using api = startScriptedApi({ turns: [answer] });
    const client = clientOf(api, { silence: { silentMs: 300, pingsOnlyMs: 300 } });
    const seen: string[] = [];
    for await (const event of client.stream(requestFor("hi"), new AbortController().signal)) {
      if (event.type === "block_start") await new Promise((resolve) => setTimeout(resolve, 600));
      seen.push(event.type);
    }
    expect(seen.at(-1)).toBe("message_stop");
  });
});

describe("an abort", () => {
  test("before the request sends nothing", async () => {
    await using api = startScriptedApi({ turns: [reply(text("x"))] });
    const { error } = await readFailure(clientOf(api), requestFor("hi"), AbortSignal.abort());
    expect(error.class).toBe("aborted");
    expect(api.requests).toEqual([]);
  });

  test.each([
    ["before the headers", { delayMs: 60_000 }],
    ["in the middle of the reply", { fault: { afterEvents: 4, kind: "silence" as const } }],
  ])("%s ends the request at both ends", async (_, fault) => {
    await using api = startScriptedApi({ turns: [{ ...reply(text("x")), ...fault }] });
    const controller = new AbortController();
    const failure = readFailure(clientOf(api), requestFor("hi"), controller.signal);
    await waitFor(() => api.requests.length === 1);
    controller.abort("user");
    expect((await failure).error.class).toBe("aborted");
    await waitFor(() => api.requests[0]?.isAborted);
  });

  test("by leaving the reply early closes the connection", async () => {
    await using api = startScriptedApi({ turns: [{ ...reply(text("x")), fault: { afterEvents: 3, kind: "pings" } }] });
    for await (const event of clientOf(api).stream(requestFor("hi"), new AbortController().signal)) {
      if (event.type === "message_start") break;
    }
    await waitFor(() => api.requests[0]?.isAborted);
    expect(api.requests).toHaveLength(1);
  });
});
