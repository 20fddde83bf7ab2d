import { expect, test } from "bun:test";
import { reply, text } from "./api-reply.ts";
import { requestFault } from "./api-rules.ts";
import { startScriptedApi } from "./scripted-api-server.ts";

const USER = { role: "user", content: [{ type: "text", text: "hi" }] };
const CALL = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Bash", input: {} }, { type: "tool_use", id: "b", name: "Bash", input: {} }] };
const result = (id: string, content = "x") => ({ type: "tool_result", tool_use_id: id, content });
const MARK = { cache_control: { type: "ephemeral" } };

function fault(messages: readonly unknown[], rest: Readonly<Record<string, unknown>> = {}): string | undefined {
  return requestFault({ model: "m", max_tokens: 1, messages, ...rest });
}

test("a request that the service accepts has no fault", () => {
  expect(fault([USER, CALL, { role: "user", content: [result("a"), result("b"), ...USER.content] }], { stream: true, system: USER.content })).toBeUndefined();
});

test.each<[string, readonly unknown[]]>([
  ["no low surrogate", [{ role: "user", content: [{ type: "text", text: "\ud83d" }] }]],
  ["at least one message", []],
  ["roles must alternate", [CALL]],
  ["roles must alternate", [USER, USER]],
  ["non-whitespace", [{ role: "user", content: [{ type: "text", text: " " }] }]],
  ["non-empty content", [{ role: "user", content: [] }]],
  ["without tool_result blocks", [USER, CALL]],
  ["do not answer", [USER, CALL, USER]],
  ["do not answer", [USER, CALL, { role: "user", content: [result("a")] }]],
  ["do not answer", [USER, CALL, { role: "user", content: [result("b"), result("a")] }]],
  ["do not answer", [{ role: "user", content: [result("z")] }]],
  ["must come first", [USER, CALL, { role: "user", content: [result("a"), ...USER.content, result("b")] }]],
  ["must be non-empty", [USER, CALL, { role: "user", content: [result("a", ""), result("b")] }]],
  ["valid dictionary", [USER, { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Bash", input: [] }] }]],
  ["Found 5", [{ role: "user", content: Array.from({ length: 5 }, () => ({ type: "text", text: "x", ...MARK })) }]],
  ["not allowed on", [USER, { role: "assistant", content: [{ type: "thinking", thinking: "", signature: "s", ...MARK }] }]],
])("messages are refused: %s in %j", (expected, messages) => {
  expect(fault(messages)).toContain(expected);
});

test.each([
  ["temperature: Extra inputs", { temperature: 1 }],
  ["max_tokens: is required", { max_tokens: undefined }],
  ["must be unique", { tools: [{ name: "A", input_schema: { type: "object" } }, { name: "A", input_schema: { type: "object" } }] }],
  ["must be of type object", { tools: [{ name: "A", input_schema: {} }] }],
  ["non-whitespace", { system: [{ type: "text", text: "" }] }],
])("a request is refused: %s in %j", (expected, rest) => {
  expect(fault([USER], rest)).toContain(expected);
});

test("the server answers 400 in the API's form, keeps the request and spares the turn", async () => {
  await using api = startScriptedApi({ turns: [reply(text("fine"))] });
  const post = (body: unknown) =>
    fetch(`${api.url}/v1/messages`, { method: "POST", body: JSON.stringify(body), headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" } });
  const refused = await post({ model: "m", max_tokens: 1, messages: [] });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ type: "error", error: { type: "invalid_request_error" }, request_id: "req_1" });
  const answered = await post({ model: "m", max_tokens: 1, messages: [USER] });
  expect(await answered.json()).toMatchObject({ content: [{ type: "text", text: "fine" }], stop_reason: "end_turn" });
  expect(api.requests.map(({ body }) => body["messages"])).toEqual([[], [USER]]);
});
