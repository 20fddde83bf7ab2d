import { LLMock, type ChaosConfig } from "@copilotkit/aimock";
import { expect, test } from "bun:test";
import { userText } from "../../src/core/message.ts";
import { openModel } from "../../src/model/registry.ts";
import { readFailure, readReply, requestFor } from "../support/model-reply.ts";

const TOOLS = [{ name: "Read", description: "Reads a file", input_schema: { type: "object", properties: { file_path: { type: "string" } } } }];

/** A Messages API that others wrote, so that our own idea of the protocol is not the only one that is tested. */
async function startMock(): Promise<{ readonly mock: LLMock } & AsyncDisposable> {
  const mock = new LLMock({ port: 0 });
  await mock.start();
  return { mock, [Symbol.asyncDispose]: () => mock.stop() };
}

function open(mock: LLMock) {
  return openModel({ model: "sonnet", cwd: "/", env: { ANTHROPIC_BASE_URL: mock.url } });
}

test("a text reply of another implementation of the API is understood", async () => {
  await using server = await startMock();
  server.mock.onMessage("hello", { content: "Hi there! 👋", usage: { input_tokens: 11, output_tokens: 4 } });
  const reply = await readReply(await open(server.mock), requestFor("hello"));
  expect([reply.text, reply.stopReason]).toEqual(["Hi there! 👋", "end_turn"]);
  expect(reply.events[0]).toMatchObject({ type: "message_start", usage: { input: 11 } });
  expect(server.mock.getLastRequest()?.body).toMatchObject({ model: "claude-sonnet-5-5" });
});

test("a tool call of another implementation of the API is understood, and so is its result there", async () => {
  await using server = await startMock();
  server.mock.onToolResult("toolu_1", { content: "It says hello." });
  server.mock.onMessage("read", { toolCalls: [{ id: "toolu_1", name: "Read", arguments: '{"file_path":"a.txt"}' }] });
  const model = await open(server.mock);
  const request = requestFor("read it", { tools: TOOLS });
  const asked = await readReply(model, request);
  expect(asked.calls).toEqual([{ id: "toolu_1", name: "Read", input: { file_path: "a.txt" } }]);
  expect(asked.stopReason).toBe("tool_use");
  const answered = await readReply(model, {
    ...request,
    messages: [
      userText("read it"),
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a.txt" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "hello" }] },
    ],
  });
  expect(answered.text).toBe("It says hello.");
});

test("an error of another implementation of the API is understood", async () => {
  await using server = await startMock();
  server.mock.nextRequestError(529, { type: "overloaded_error", message: "Overloaded" });
  server.mock.onMessage("hello", { content: "Hi" });
  const model = await open(server.mock);
  expect((await readFailure(model, requestFor("hello"))).error).toMatchObject({ class: "retryable", status: 529 });
  expect((await readReply(model, requestFor("hello"))).text).toBe("Hi");
});

test.each<[string, ChaosConfig, string, number | undefined]>([
  ["500", { dropRate: 1 }, "retryable", 500],
  ["429", { rateLimitRate: 1 }, "rate_limit", 429],
  ["a 200 that is no JSON", { malformedRate: 1 }, "retryable", undefined],
  ["a connection that is cut", { disconnectRate: 1 }, "retryable", undefined],
])("chaos that answers with %s is a failure that may pass, and what comes after it is understood (V-255, V-279)", async (_, chaos, errorClass, status) => {
  await using server = await startMock();
  server.mock.onMessage("hello", { content: "Hi" });
  server.mock.setChaos(chaos);
  const model = await open(server.mock);
  const { error, events } = await readFailure(model, requestFor("hello"));
  expect([error.class as string, error.status, events.length]).toEqual([errorClass, status, 0]);
  server.mock.clearChaos();
  expect((await readReply(model, requestFor("hello"))).text).toBe("Hi");
});

test("a reply that another implementation of the API cuts short is never taken for a whole one (V-261)", async () => {
  await using server = await startMock();
  const content = "A text of many pieces, of which the last ones are missing.";
  server.mock.onMessage("cut", { content }, { chunkSize: 5, truncateAfterChunks: 4 });
  server.mock.onMessage("gone", { content }, { chunkSize: 5, latency: 5, disconnectAfterMs: 30 });
  const model = await open(server.mock);
  for (const prompt of ["cut", "gone"]) expect((await readFailure(model, requestFor(prompt))).error.class).toBe("retryable");
});

test("calls among text, and calls at once, of another implementation of the API are understood", async () => {
  await using server = await startMock();
  const read = (id: string) => ({ type: "toolCall" as const, id, name: "Read", arguments: `{"file_path":"${id}"}` });
  server.mock.onMessage("mixed", { blocks: [read("toolu_1"), { type: "text", text: "and" }, read("toolu_2")] });
  const { calls, text, stopReason } = await readReply(await open(server.mock), requestFor("mixed", { tools: TOOLS }));
  expect(calls.map(({ id, input }) => [id, input])).toEqual([
    ["toolu_1", { file_path: "toolu_1" }],
    ["toolu_2", { file_path: "toolu_2" }],
  ]);
  expect([text, stopReason]).toEqual(["and", "tool_use"]);
});

test("a reply in one piece of another implementation of the API is understood", async () => {
  await using server = await startMock();
  server.mock.onMessage("hello", { content: "Hi there! 👋" });
  const model = await open(server.mock);
  const text: string[] = [];
  for await (const event of model.stream(requestFor("hello"), new AbortController().signal, { isWhole: true })) {
    if (event.type === "block_delta" && event.delta.type === "text_delta") text.push(event.delta.text);
  }
  expect(text).toEqual(["Hi there! 👋"]);
});
