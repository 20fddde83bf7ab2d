import { describe, expect, test } from "bun:test";
import { userText, type AssistantMessage, type Message, type UserMessage } from "../../src/core/message.ts";
import { openAnthropicModel } from "../../src/model/anthropic.ts";
import { buildRequest } from "../../src/model/build-request.ts";
import { markCacheBreakpoints } from "../../src/model/cache-breakpoints.ts";
import type { ModelRequest, ToolDefinition } from "../../src/model/client.ts";
import { readEndpoint } from "../../src/model/credentials.ts";
import { reply, text } from "../support/api-reply.ts";
import { markedBlocks, requestFault } from "../support/api-rules.ts";
import { readReply, requestFor } from "../support/model-reply.ts";
import { startScriptedApi } from "../support/scripted-api-server.ts";

const HALF_PAIR = "\ud83d";
const BASH: ToolDefinition = { name: "Bash", description: "Runs a command", input_schema: { type: "object", properties: { command: { type: "string" } } } };
const READ: ToolDefinition = { name: "Read", description: "Reads a file", input_schema: { type: "object" } };

function call(...ids: readonly string[]): AssistantMessage {
  return { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "Bash", input: { command: id } })) };
}

function results(...ids: readonly string[]): UserMessage {
  return { role: "user", content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: `output of ${id}` })) };
}

function bodyOf(request: ModelRequest): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(markCacheBreakpoints(buildRequest("m", request)))) as Readonly<Record<string, unknown>>;
}

function messagesOf(...messages: readonly Message[]): unknown {
  return buildRequest("m", requestFor("", { messages })).messages;
}

describe("a request", () => {
  test("goes over the wire with these bytes: what is constant first, four breakpoints", async () => {
    await using api = startScriptedApi({ turns: [reply(text("x"))] });
    const endpoint = readEndpoint({ ANTHROPIC_BASE_URL: api.url });
    const messages = [userText("go"), call("toolu_1"), results("toolu_1")];
    await readReply(openAnthropicModel({ model: "m", endpoint }), { system: ["You help", "Today"], tools: [BASH, READ], messages, maxOutputTokens: 99 });
    const mark = '"cache_control":{"type":"ephemeral"}';
    expect(api.requests[0]?.text).toBe(
      [
        '{"model":"m","max_tokens":99,"stream":true',
        '"tools":[{"name":"Bash","description":"Runs a command","input_schema":{"type":"object","properties":{"command":{"type":"string"}}}}',
        `{"name":"Read","description":"Reads a file","input_schema":{"type":"object"},${mark}}]`,
        '"system":[{"type":"text","text":"You help"}',
        `{"type":"text","text":"Today",${mark}}]`,
        `"messages":[{"role":"user","content":[{"type":"text","text":"go",${mark}}]}`,
        '{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"toolu_1"}}]}',
        `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"output of toolu_1",${mark}}]}]}`,
      ].join(","),
    );
  });

  test("leaves out what is not there", () => {
    expect(buildRequest("m", requestFor("hi"))).toEqual({
      model: "m",
      max_tokens: 1_000,
      stream: true,
      messages: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
    });
  });

  test("has no empty text, and no empty message", () => {
    const messages: Message[] = [
      userText("go"),
      { role: "assistant", content: [{ type: "text", text: "" }, { type: "text", text: " \n" }] },
      { role: "user", content: [{ type: "text", text: "" }, { type: "text", text: "on" }] },
    ];
    expect(buildRequest("m", requestFor("", { messages, system: ["", "s"] }))).toMatchObject({
      system: [{ type: "text", text: "s" }],
      messages: [{ role: "user", content: [{ type: "text", text: "go" }, { type: "text", text: "on" }] }],
    });
  });

  test("puts tool results first where two messages become one", () => {
    const thanks: Message = { role: "assistant", content: [{ type: "text", text: "" }] };
    expect(messagesOf(userText("go"), call("a"), userText("wait"), thanks, results("a"))).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }, { type: "text", text: "wait" }] },
    ]);
  });

  test("is well-formed Unicode in every string, member names too (A101)", () => {
    const messages: Message[] = [
      userText(`cut ${HALF_PAIR}`),
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Bash", input: { [`k${HALF_PAIR}`]: [`v${HALF_PAIR}`] } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: `out ${HALF_PAIR}`, is_error: true }] },
    ];
    const tool = { ...BASH, description: `d${HALF_PAIR}`, input_schema: { type: "object", title: HALF_PAIR } };
    const body = bodyOf({ system: [`s${HALF_PAIR}`], tools: [tool], messages, maxOutputTokens: 1 });
    expect(requestFault(body)).toBeUndefined();
    expect(body).toMatchObject({ messages: [{}, { content: [{ input: { "k\ufffd": ["v\ufffd"] } }] }, { content: [{ is_error: true }] }] });
  });

  test("sends thinking and unknown blocks back as they came, in order (V-268)", () => {
    const raw = { type: "hologram", data: [1, { a: null }] };
    const content: AssistantMessage["content"] = [
      { type: "thinking", thinking: "", signature: "c2ln" },
      { type: "redacted_thinking", data: "ZGF0YQ==" },
      { type: "unknown", raw },
      { type: "text", text: "done" },
    ];
    const sent = messagesOf(userText("go"), { role: "assistant", content }, userText("more"));
    expect(sent).toMatchObject([{}, { content: [content[0], content[1], raw, content[3]] }, {}]);
  });

  test.each([[["a list"]], ["text"], [null], [undefined], [3]])("sends an object as tool input where the model wrote %j", (input) => {
    const message: AssistantMessage = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Bash", input }] };
    expect(messagesOf(userText("go"), message, results("a"))).toMatchObject([{}, { content: [{ input: {} }] }, {}]);
  });

  test("tells the model its budget, at least what the service takes, and what is left only where that is known (V-286)", () => {
    const budgetOf = (taskBudget: NonNullable<ModelRequest["taskBudget"]>, model = "m", without: ModelRequest["without"] = []) =>
      buildRequest(model, requestFor("hi", { taskBudget, without })).output_config;
    expect(budgetOf({ total: 50_000 })).toEqual({ task_budget: { type: "tokens", total: 50_000 } });
    expect(budgetOf({ total: 5, remaining: 3 })).toEqual({ task_budget: { type: "tokens", total: 20_000, remaining: 3 } });
    expect(budgetOf({ total: 50_000 }, "claude-sonnet-4-6")).toBeUndefined();
    expect(budgetOf({ total: 50_000 }, "m", ["task_budget"])).toBeUndefined();
  });

  test("has its system prompt as one string where a server takes no list", () => {
    const body = bodyOf(requestFor("hi", { system: ["You help", " ", "Today"], systemAsText: true }));
    expect(body["system"]).toBe("You help\n\nToday");
    expect(markedBlocks(body)).toMatchObject([{ text: "hi" }]);
  });

  test("does not change what it is built from", () => {
    const request = requestFor("hi", { tools: [BASH], system: ["s"] });
    const before = structuredClone(request);
    bodyOf(request);
    expect(request).toEqual(before);
  });
});

describe("cache breakpoints", () => {
  test("stand where the previous request ended, so that a turn of any length finds what was cached (V-283)", () => {
    const ids = Array.from({ length: 30 }, (_, index) => `toolu_${index}`);
    const before = [userText("go"), call("first"), results("first")];
    const after = [...before, call(...ids), results(...ids)];
    const lastMarked = (messages: readonly Message[]) => markedBlocks(bodyOf(requestFor("", { messages }))).map((block) => block["tool_use_id"]);
    expect(lastMarked(before)).toEqual([undefined, "first"]);
    expect(lastMarked(after)).toEqual(["first", "toolu_29"]);
  });

  test("never stand on thinking or unknown blocks (V-283)", () => {
    const content: AssistantMessage["content"] = [
      { type: "text", text: "so far" },
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "unknown", raw: { type: "hologram" } },
    ];
    const body = bodyOf(requestFor("", { messages: [userText("go"), { role: "assistant", content }] }));
    expect(markedBlocks(body)).toMatchObject([{ text: "go" }, { text: "so far" }]);
    expect(requestFault(body)).toBeUndefined();
  });

  test("all live equally long, so that none can stand before one that lives longer (V-282)", () => {
    const body = bodyOf(requestFor("hi", { system: ["s"], tools: [BASH] }));
    expect(markedBlocks(body).map((block) => block["cache_control"])).toEqual(Array.from({ length: 3 }, () => ({ type: "ephemeral" })));
  });

  test("are none where nothing can be marked", () => {
    const content: AssistantMessage["content"] = [{ type: "thinking", thinking: "hm", signature: "s" }];
    expect(markedBlocks(bodyOf(requestFor("", { messages: [{ role: "assistant", content }] })))).toEqual([]);
  });

  test("are four at most, and change no other byte from turn to turn", () => {
    const turns: Message[][] = [[userText("go")]];
    for (let turn = 1; turn < 6; turn++) turns.push([...(turns.at(-1) ?? []), call(`t${turn}`), results(`t${turn}`)]);
    const bodies = turns.map((messages) => bodyOf({ system: ["s"], tools: [BASH], messages, maxOutputTokens: 1 }));
    expect(bodies.map((body) => markedBlocks(body).length)).toEqual([3, 4, 4, 4, 4, 4]);
    const unmarked = bodies.map((body) => JSON.stringify(body).replaceAll(',"cache_control":{"type":"ephemeral"}', ""));
    const isPrefix = unmarked.slice(1).map((later, index) => later.startsWith((unmarked[index] ?? "-").slice(0, -"]}".length)));
    expect(isPrefix).toEqual([true, true, true, true, true]);
  });
});
