import { describe, expect, test } from "bun:test";
import type { Reply } from "../support/messages-api/answer.ts";
import type { Json } from "../support/messages-api/json.ts";
import type { ModelRules } from "../support/messages-api/model-rules.ts";
import { startMessagesApi, type MessagesApiOptions } from "../support/messages-api/server.ts";
import { ask, MARK, post, refusalOf, USER } from "./post.ts";

const FINE: Reply = { content: [{ type: "text", text: "fine" }] };
const text = (value: string, rest: Json = {}) => ({ type: "text", text: value, ...rest });
const call = (id: string, rest: Json = {}) => ({ type: "tool_use", id, name: "Bash", input: {}, ...rest });
const result = (id: string, rest: Json = {}) => ({ type: "tool_result", tool_use_id: id, content: "x", ...rest });
const user = (...content: readonly unknown[]) => ({ role: "user", content });
const assistant = (...content: readonly unknown[]) => ({ role: "assistant", content });
const tool = (name: string, rest: Json = {}) => ({ name, input_schema: { type: "object" }, ...rest });

function open(options: Partial<MessagesApiOptions> = {}) {
  return startMessagesApi({ script: () => FINE, ...options });
}

test("a request with all that may be there is answered", async () => {
  await using api = open();
  const messages = [
    user(text("hi")),
    assistant(text("I look."), call("a"), call("b")),
    user(result("b", { is_error: true }), result("a", { content: [text("x")], ...MARK }), text("and now?")),
  ];
  const rest = { system: [text("Be brief.", MARK)], tools: [tool("Bash", { description: "d", ...MARK })], tool_choice: { type: "tool", name: "Bash" }, temperature: 0 };
  expect(await ask(api, { messages, ...rest })).toMatchObject({ id: "msg_1", role: "assistant", content: [{ type: "text", text: "fine" }], stop_reason: "end_turn" });
  expect(() => api.expectNoRefusals()).not.toThrow();
});

describe("messages are refused", () => {
  test.each<[string, readonly unknown[]]>([
    ["at least one message", []],
    ['first message must use the "user" role', [assistant(text("x"))]],
    ["messages.1.role: Input should be", [USER, { role: "tool", content: "x" }]],
    ['Unexpected role "system"', [USER, { role: "system", content: "x" }]],
    ["messages.0.name: Extra inputs", [{ ...USER, name: "me" }]],
    ["non-empty content", [user()]],
    ["non-empty content", [USER, assistant(), USER]],
    ["non-empty content", [{ role: "user", content: "" }]],
    ["must be non-empty", [user(text(""))]],
    ["non-whitespace", [user(text(" \n"))]],
    ["non-whitespace", [{ role: "user", content: "\t" }]],
    ["text.color: Extra inputs", [user(text("x", { color: "red" }))]],
    ["tool_use.id: Field required", [USER, assistant({ type: "tool_use", name: "Bash", input: {} })]],
    ["tool_use.input: Input should be a valid dictionary", [USER, assistant(call("a", { input: "x" })), user(result("a"))]],
    ["tool_use.id: String should match", [USER, assistant(call("a b")), user(result("a b"))]],
    ["thinking.cache_control: Extra inputs", [USER, assistant({ type: "thinking", thinking: "", signature: "s", ...MARK }), USER]],
    ["'hologram' found using 'type'", [user({ type: "hologram" })]],
    ["can only be in `assistant` messages", [user(call("a"))]],
    ["can only be in `user` messages", [USER, assistant(result("a"))]],
    ["cannot be empty if `is_error`", [USER, assistant(call("a")), user(result("a", { content: "", is_error: true }))]],
    ["must be non-empty", [USER, assistant(call("a")), user(result("a", { content: [text("")] }))]],
    ["without `tool_result` blocks immediately after: a.", [USER, assistant(call("a"))]],
    ["without `tool_result` blocks immediately after: a.", [USER, assistant(call("a")), USER]],
    ["without `tool_result` blocks immediately after: b.", [USER, assistant(call("a"), call("b")), user(result("a"))]],
    ["without `tool_result` blocks immediately after: b.", [USER, assistant(call("a"), call("b")), user(result("a")), user(result("b"))]],
    ["without `tool_result` blocks immediately after: b.", [USER, assistant(call("a"), call("b")), user(result("a"), text("x"), result("b"))]],
    ["messages.0.content.0: unexpected `tool_use_id` found", [user(result("z"))]],
    ["messages.2.content.1: unexpected `tool_use_id` found", [USER, assistant(call("a")), user(result("a"), result("z"))]],
    ["must have a single result", [USER, assistant(call("a")), user(result("a"), result("a"))]],
    ["ids must be unique", [USER, assistant(call("a"), call("a")), user(result("a"))]],
    ["ids must be unique", [USER, assistant(call("a")), user(result("a")), assistant(call("a")), user(result("a"))]],
    ["Found 5", [user(...Array.from({ length: 5 }, () => text("x", MARK)))]],
    ["should be 'ephemeral'", [user(text("x", { cache_control: { type: "for ever" } }))]],
    ["should be '5m' or '1h'", [user(text("x", { cache_control: { type: "ephemeral", ttl: "2h" } }))]],
    ["must not come after a ttl='5m'", [user(text("x", MARK), text("y", { cache_control: { type: "ephemeral", ttl: "1h" } }))]],
  ])("%s: %j", async (expected, messages) => {
    await using api = open();
    expect(await refusalOf(api, { messages })).toContain(expected);
    expect(api.requests[0]?.refused?.message).toContain(expected);
  });

  test("in more than 100,000", async () => {
    await using api = open({ rules: { contextTokensMax: 1_000_000 } });
    const messages = Array.from({ length: 100_001 }, (_, index) => (index % 2 === 0 ? USER : { role: "assistant", content: "x" }));
    expect(await refusalOf(api, { messages })).toBe("messages: List should have at most 100000 items, not 100001");
    expect(await refusalOf(api, { messages: messages.slice(2) })).toBeUndefined();
  });
});

describe("a body is refused", () => {
  test.each<[string, Json]>([
    ["color: Extra inputs are not permitted", { color: "red" }],
    ["context_management: Extra inputs are not permitted", { context_management: {} }],
    ["model: Field required", { model: undefined }],
    ["max_tokens: Field required", { max_tokens: undefined }],
    ["max_tokens: Input should be greater", { max_tokens: 0 }],
    ["max_tokens: 128001 > 128000, which is the maximum", { max_tokens: 128_001 }],
    ["system: text content blocks must contain", { system: [text(" ")] }],
    ["system.0.color: Extra inputs", { system: [text("x", { color: "red" })] }],
    ["Tool names must be unique", { tools: [tool("A"), tool("A")] }],
    ["tools.0.name: String should match", { tools: [tool("a b")] }],
    ["tools.0.custom.input_schema.type: Field required", { tools: [{ name: "A", input_schema: {} }] }],
    ["tools.0.custom.color: Extra inputs", { tools: [tool("A", { color: "red" })] }],
    ["Tool 'B' not found in provided tools", { tools: [tool("A")], tool_choice: { type: "tool", name: "B" } }],
    ["only be specified while providing tools", { tool_choice: { type: "auto" } }],
    ["Thinking may not be enabled when tool_choice forces", { max_tokens: 2_000, tools: [tool("A")], tool_choice: { type: "any" }, thinking: { type: "enabled", budget_tokens: 1_024 } }],
    ["Input tag 'deep'", { thinking: { type: "deep" } }],
    ["output_config.effort: Input should be", { output_config: { effort: "utmost" } }],
    ["must be greater than `thinking.budget_tokens`", { thinking: { type: "enabled", budget_tokens: 1_024 } }],
    ["output_config.task_budget: Extra inputs", { output_config: { task_budget: { type: "tokens", total: 20_000 } } }],
    ["Found 5", { ...MARK, system: Array.from({ length: 4 }, () => text("x", MARK)) }],
  ])("%s: %j", async (expected, rest) => {
    await using api = open();
    expect(await refusalOf(api, { messages: [USER], ...rest })).toContain(expected);
  });

  test.each<[string, Partial<ModelRules>, Json]>([
    ["does not support assistant message prefill", { allowsPrefill: false }, { messages: [USER, { role: "assistant", content: "I" }] }],
    ["temperature: is not supported", { allowsSampling: false }, { temperature: 1 }],
    ["top_p: is not supported", { allowsSampling: false }, { top_p: 1 }],
    ["top_k: is not supported", { allowsSampling: false }, { top_k: 1 }],
    ['"thinking.type.enabled" is not supported', { thinkingTypes: ["adaptive"] }, { max_tokens: 2_000, thinking: { type: "enabled", budget_tokens: 1_024 } }],
    ['"thinking.type.disabled" is not supported', { thinkingTypes: ["adaptive"] }, { thinking: { type: "disabled" } }],
    ["max_tokens: 11 > 10, which", { outputTokensMax: 10 }, { max_tokens: 11 }],
  ])("by a model with other rules alone: %s", async (expected, rules, rest) => {
    await using api = open({ modelRules: { strict: rules } });
    expect(await refusalOf(api, { model: "strict", messages: [USER], ...rest })).toContain(expected);
    expect(await refusalOf(api, { messages: [USER], ...rest })).toBeUndefined();
  });

  test("when it is longer than the context, in tokens of four bytes", async () => {
    await using api = open({ rules: { contextTokensMax: 1_000 } });
    const block = (tokens: number) => ({ messages: [user(text("x".repeat(tokens * 4 - JSON.stringify(text("")).length)))] });
    expect(await refusalOf(api, block(1_001))).toBe("prompt is too long: 1001 tokens > 1000 maximum");
    expect(await refusalOf(api, block(1_000))).toBeUndefined();
  });

  const LONE = "no low surrogate in string";
  test.each<[string | undefined, Uint8Array<ArrayBuffer> | string]>([
    [`${LONE}: char 66`, JSON.stringify({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "\ud83d" }] })],
    [LONE, '{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"\\ude00\\ud83d"}]}'],
    [LONE, '{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"\\ud83d \\ude00"}]}'],
    [LONE, '{"model":"m","\\uD83D":1}'],
    [undefined, '{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"\\ud83d\\ude00 \\\\ud83d 😀"}]}'],
    ["invalid UTF-8", new Uint8Array([...Buffer.from('{"model":"'), 0xff, ...Buffer.from('"}')])],
    ["not valid JSON", '{"model":'],
    ["valid dictionary", "[]"],
  ])("%s: %j", async (expected, bytes) => {
    await using api = open();
    const message = await refusalOf(api, {}, { bytes });
    if (expected === undefined) expect(message).toBeUndefined();
    else expect(message).toContain(expected);
  });
});

describe("a request is refused for its headers", () => {
  const version = { "anthropic-version": "2023-06-01" };
  test.each([
    [401, "authentication_error", "x-api-key header is required", version],
    [401, "authentication_error", "only one of", { ...version, "x-api-key": "right", authorization: "Bearer right" }],
    [401, "authentication_error", "invalid x-api-key", { ...version, "x-api-key": "wrong" }],
    [401, "authentication_error", "Invalid bearer token", { ...version, authorization: "Bearer wrong" }],
    [400, "invalid_request_error", "anthropic-version: header is required", { "x-api-key": "right" }],
  ])("%i %s: %s", async (status, type, message, headers) => {
    await using api = open({ credential: "right" });
    const response = await post(api, { messages: [USER] }, { headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ type: "error", error: { type, message: expect.stringContaining(message) }, request_id: "req_1" });
    expect(response.headers.get("request-id")).toBe("req_1");
  });

  test("but not with the right key or token", async () => {
    await using api = open({ credential: "right" });
    for (const headers of [{ "x-api-key": "right" }, { authorization: "Bearer right" }]) {
      expect((await post(api, { messages: [USER] }, { headers: { ...version, ...headers } })).status).toBe(200);
    }
  });

  test("when it goes elsewhere", async () => {
    await using api = open();
    expect((await post(api, {}, { path: "/v1/complete" })).status).toBe(404);
    expect((await fetch(`${api.url}/v1/messages`)).status).toBe(404);
    expect(api.refusals()).toEqual(["1 /v1/complete 404: Not found", "2 /v1/messages 404: Not found"]);
  });
});

test("fields of a beta are taken from whoever asks for it", async () => {
  await using api = open();
  const headers = { "x-api-key": "k", "anthropic-version": "2023-06-01", "anthropic-beta": "other, context-management-2025-06-27,task-budgets-2026-03-13" };
  const budget = (total: number) => ({ messages: [USER], context_management: {}, output_config: { task_budget: { type: "tokens", total } } });
  expect(await refusalOf(api, budget(20_000), { headers })).toBeUndefined();
  expect(await refusalOf(api, budget(19_999), { headers })).toContain("greater than or equal to 20000");
});

test("messages of the system are taken where the model allows them", async () => {
  await using api = open({ rules: { allowsSystemMessages: true } });
  expect(await refusalOf(api, { messages: [USER, { role: "system", content: "Be brief." }] })).toBeUndefined();
});

test("refused requests use nothing of the script up, and a script that is used up refuses", async () => {
  await using api = startMessagesApi({ script: [FINE] });
  expect(await refusalOf(api, { messages: [] })).toBeDefined();
  expect(await refusalOf(api, { messages: [USER] })).toBeUndefined();
  const response = await post(api, { messages: [USER] });
  expect(response.status).toBe(500);
  expect(response.headers.get("x-should-retry")).toBe("false");
  expect(() => api.expectNoRefusals()).toThrow("1 /v1/messages 400: messages: at least one message is required\n3 /v1/messages 500: The script has no answer 2");
});
