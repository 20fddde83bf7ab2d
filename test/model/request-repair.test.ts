import { describe, expect, test } from "bun:test";
import { userText, type AssistantBlock, type Message } from "../../src/core/message.ts";
import { openAnthropicModel } from "../../src/model/anthropic.ts";
import { classifyFailure } from "../../src/model/classify-failure.ts";
import { ModelError, type ModelRequest } from "../../src/model/client.ts";
import { readEndpoint } from "../../src/model/credentials.ts";
import type { OptionalParameter } from "../../src/model/model-traits.ts";
import { repairFor, type RequestRepair } from "../../src/model/request-repair.ts";
import { startMessagesApi, type MessagesApiOptions } from "../support/messages-api/server.ts";
import { readFailure, readReply, requestFor } from "../support/model-reply.ts";

const THINKING: AssistantBlock = { type: "thinking", thinking: "hm", signature: "c2ln" };
const UNKNOWN: AssistantBlock = { type: "unknown", raw: { type: "x_hologram" } };
const OK = { content: [{ type: "text" as const, text: "ok" }] };

/** A conversation whose reply holds these blocks. */
function after(...blocks: readonly AssistantBlock[]): Message[] {
  return [userText("go"), { role: "assistant", content: [...blocks, { type: "text", text: "done" }] }, userText("on")];
}

/** A request that everything can be taken from. */
const REQUEST = requestFor("", { system: ["You help"], messages: after(THINKING, UNKNOWN), maxOutputTokens: 64_000, taskBudget: { total: 50_000 } });

function repairOf(said: string, request: ModelRequest = REQUEST): RequestRepair | undefined {
  const errorClass = classifyFailure({ status: 400, type: "invalid_request_error", message: said });
  return repairFor(new ModelError(errorClass, `Cannot get a reply: ${said}`, { status: 400, said }), request);
}

const lower = (outputTokensMax: number): RequestRepair => ({ type: "lower_output_limit", outputTokensMax });
const drop = (name: OptionalParameter): RequestRepair => ({ type: "drop_parameter", name });

describe("a refusal", () => {
  test.each<[string, RequestRepair]>([
    ["max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens for claude-x", lower(32_000)],
    ["max_tokens must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model", lower(8_192)],
    ["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", lower(8_192)],
    ["max_tokens: at most 4,096", lower(4_096)],
    ["input length and `max_tokens` exceed context limit: 188240 + 32000 > 200000, decrease input length or `max_tokens` and try again", lower(11_760)],
    ["'max_tokens' or 'max_completion_tokens' is too large: 64000. This model's maximum context length is 32768 tokens and your request has 1200 input tokens (64000 > 32768 - 1200).", lower(31_568)],
    ["This model's maximum context length is 8192 tokens. However, you requested 69000 tokens (5000 in the messages, 64000 in the completion).", lower(3_192)],
    ["tools.3.cache_control: Extra inputs are not permitted", drop("cache_control")],
    ["messages.0.content.0.text.cache_control: Extra inputs are not permitted", drop("cache_control")],
    ["unknown field `cache_control`, expected one of `type`, `text`", drop("cache_control")],
    ["A maximum of 4 blocks with cache_control may be provided. Found 5.", drop("cache_control")],
    ["output_config.task_budget: Extra inputs are not permitted", drop("task_budget")],
    ["output_config: Extra inputs are not permitted", drop("task_budget")],
    ["Unexpected value(s) `task-budgets-2026-03-13` for the `anthropic-beta` header.", drop("task_budget")],
    ["create() got an unexpected keyword argument 'output_config'", drop("task_budget")],
    ["messages.1.content.0: Invalid `signature` in `thinking` block", { type: "drop_thinking" }],
    ['messages.1.content.0: Invalid `data` in `redacted_thinking` block. The block is bound to a different conversation. Remove the block, or set …', { type: "drop_thinking" }],
    ["messages.3.content.8: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.", { type: "drop_thinking" }],
    ["messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final …", { type: "drop_thinking" }],
    ["messages.1.content.0.thinking.signature: Field required", { type: "drop_thinking" }],
    ["messages.1.content.0: Input tag 'thinking' found using 'type' does not match any of the expected tags: 'text', 'tool_use'", { type: "drop_thinking" }],
    ["messages.1.content.1: Input tag 'x_hologram' found using 'type' does not match any of the expected tags: 'text', 'thinking', 'tool_use'", { type: "drop_unknown_blocks" }],
    ["content type x_hologram is not supported", { type: "drop_unknown_blocks" }],
    ["unsupported content block in messages[1]", { type: "drop_unknown_blocks" }],
    ["messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.", { type: "fix_pairing" }],
    ["messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a.", { type: "fix_pairing" }],
    ["messages: `tool_use` ids must be unique", { type: "fix_pairing" }],
    ["messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a", { type: "fix_pairing" }],
    ["An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'", { type: "fix_pairing" }],
    ["The request body is not valid JSON: no low surrogate in string: line 1 column 195621 (char 195620)", { type: "fix_encoding" }],
    ["invalid unicode code point at line 1", { type: "fix_encoding" }],
    ["Failed to parse request body as JSON", { type: "fix_encoding" }],
    ["system: Input should be a valid string", { type: "system_as_text" }],
    ['[{"type":"string_type","loc":["body","system"],"msg":"Input should be a valid string","input":[{"cache_control":{}}]}]', { type: "system_as_text" }],
    ["json: cannot unmarshal array into Go struct field MessagesRequest.system of type string", { type: "system_as_text" }],
    ["system: invalid type: sequence, expected a string at line 1", { type: "system_as_text" }],
  ])("that says %j asks for %j", (said, repair) => {
    expect(repairOf(said)).toEqual(repair);
  });

  test.each([
    "messages.0: Unexpected role \"system\".",
    "temperature: is not supported by this model",
    "model: Field required",
    "tools.0.custom.x: Extra inputs are not permitted",
    "max_tokens: Field required",
    "max_tokens: 64000 > 900, which is the maximum allowed",
    "max_tokens: 64000 > 128000, which makes no sense",
    "messages.65.content.1.tool_use.text: Extra inputs are not permitted",
    "",
  ])("that says %j asks for nothing that is known", (said) => {
    expect(repairOf(said)).toBeUndefined();
  });

  test.each([
    '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
    "thinking.type: enabled is not supported by this model. Use adaptive",
    "adaptive thinking is not supported on this model",
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    "`max_tokens` must be greater than `thinking.budget_tokens`",
    "thinking: Extra inputs are not permitted",
    "output_config.effort: Extra inputs are not permitted",
    "output_config: Extra inputs are not permitted",
    "create() got an unexpected keyword argument 'thinking'",
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final …",
  ])("that says %j leaves the parameter out where thinking was asked for", (said) => {
    const request: ModelRequest = { ...REQUEST, thinking: "low", taskBudget: undefined as never };
    expect(repairOf(said, request)).toEqual(drop("thinking"));
    expect(repairOf(said, { ...request, without: ["thinking"] })).not.toEqual(drop("thinking"));
  });

  test.each([
    "messages.1.content.0: Invalid `signature` in `thinking` block",
    "messages: thinking or redacted_thinking blocks in the latest assistant message cannot be modified",
    "thinking blocks cannot be modified",
    "unexpected `thinking` block",
    "Unsupported content block: thinking",
  ])("of thinking in the conversation leaves the parameter as it is: %j", (said) => {
    expect(repairOf(said, { ...REQUEST, thinking: "low", messages: after(THINKING) })).toEqual({ type: "drop_thinking" });
  });

  test("asks for nothing that would change nothing", () => {
    const bare = requestFor("hi", { without: ["cache_control", "task_budget"], systemAsText: true, system: ["s"] });
    for (const said of [
      "tools.3.cache_control: Extra inputs are not permitted",
      "output_config: Extra inputs are not permitted",
      "max_tokens: 64000 > 32000, which is the maximum allowed",
      "Invalid `signature` in `thinking` block",
      "messages.1.content.1: Input tag 'x' found using 'type' does not match any of the expected tags: 'thinking'",
      "system: Input should be a valid string",
    ]) {
      expect(repairOf(said, bare)).toBeUndefined();
    }
  });

  test.each([
    ["input length and `max_tokens` exceed context limit: 188240 + 32000 > 200000", "invalid"],
    ["input length and `max_tokens` exceed context limit: 199900 + 32000 > 200000", "too_long"],
    ["This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (9000 in the messages, 0 in the completion).", "too_long"],
    ["prompt is too long: 210000 tokens > 200000 maximum", "too_long"],
    ["max_tokens: 64000 > 32000, which is the maximum allowed", "invalid"],
  ] as const)("that says %j is %s: what leaves room for a reply is not too long (V-273)", (message, errorClass) => {
    expect(classifyFailure({ status: 400, type: "invalid_request_error", message })).toBe(errorClass);
  });

  test("of another class asks for no repair", () => {
    expect(repairFor(new ModelError("retryable", "x", { said: "cache_control: Extra inputs are not permitted" }), REQUEST)).toBeUndefined();
    expect(repairFor(new ModelError("invalid", "x"), REQUEST)).toBeUndefined();
  });
});

describe("a repaired request", () => {
  /** Sends a request, repairs it as it was refused, and sends it again. */
  async function repairAgainst(options: Omit<MessagesApiOptions, "script">, request: ModelRequest, repair: (asked: RequestRepair) => ModelRequest) {
    await using api = startMessagesApi({ ...options, script: () => OK });
    const client = openAnthropicModel({ model: "claude-opus-5-5", endpoint: readEndpoint(api.env()) });
    const { error } = await readFailure(client, request);
    const asked = repairFor(error, request);
    if (asked === undefined) throw new Error(`There is no repair for: ${error.message}`);
    expect((await readReply(client, repair(asked))).text).toBe("ok");
    expect(api.refusals()).toHaveLength(1);
    return asked;
  }

  test("is accepted with a lower output limit", async () => {
    const request = requestFor("hi", { maxOutputTokens: 64_000 });
    const asked = await repairAgainst({ rules: { outputTokensMax: 32_000 } }, request, (repair) =>
      repair.type === "lower_output_limit" ? { ...request, maxOutputTokens: repair.outputTokensMax } : request,
    );
    expect(asked).toEqual(lower(32_000));
  });

  test("is accepted without thinking that another conversation or model wrote (V-270)", async () => {
    const request = requestFor("", { messages: after(THINKING) });
    const asked = await repairAgainst({}, request, () => ({ ...request, messages: after() }));
    expect(asked).toEqual({ type: "drop_thinking" });
  });

  test("is accepted without blocks that the service does not take back", async () => {
    const request = requestFor("", { messages: after(UNKNOWN) });
    const asked = await repairAgainst({}, request, () => ({ ...request, messages: after() }));
    expect(asked).toEqual({ type: "drop_unknown_blocks" });
  });

  test("is accepted when calls and results match", async () => {
    const call: AssistantBlock = { type: "tool_use", id: "a", name: "Read", input: {} };
    const tools = [{ name: "Read", description: "Reads", input_schema: { type: "object" } }];
    const request = requestFor("", { tools, messages: [userText("go"), { role: "assistant", content: [call] }, userText("on")] });
    const asked = await repairAgainst({}, request, () => ({ ...request, messages: after() }));
    expect(asked).toEqual({ type: "fix_pairing" });
  });
});

describe("what a server does not know", () => {
  test("is not sent again: budget, its beta header and marks for the cache (V-286)", async () => {
    await using api = startMessagesApi({ script: () => OK });
    const client = openAnthropicModel({ model: "claude-opus-5-5", endpoint: readEndpoint(api.env()) });
    const request = requestFor("hi", { system: ["s"], taskBudget: { total: 30_000, remaining: 12_000 } });
    await readReply(client, request);
    await readReply(client, { ...request, without: ["task_budget"] });
    await readReply(client, { ...request, without: ["task_budget", "cache_control"], systemAsText: true });
    api.expectNoRefusals();
    expect(api.requests.map(({ body }) => body["output_config"])).toEqual([{ task_budget: { type: "tokens", total: 30_000, remaining: 12_000 } }, undefined, undefined]);
    expect(api.requests.map(({ headers }) => headers["anthropic-beta"])).toEqual(["task-budgets-2026-03-13", undefined, undefined]);
    expect(api.requests.map(({ text }) => text.split("cache_control").length - 1)).toEqual([2, 2, 0]);
    expect(api.requests[2]?.body["system"]).toBe("s");
  });
});
