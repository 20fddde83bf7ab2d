import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import Anthropic, { AnthropicError } from "@anthropic-ai/sdk";
import type { Answer } from "../support/messages-api/answer.ts";
import { startMessagesApi, type MessagesApi } from "../support/messages-api/server.ts";
import { thrownBy } from "../support/thrown.ts";

const REQUEST = { model: "m", max_tokens: 100, messages: [{ role: "user" as const, content: "hi" }] };
const REPLY: Answer = {
  content: [{ type: "thinking", thinking: "hm, longer than a chunk" }, { type: "text", text: "Hello, wörld 👋!" }, { type: "tool_use", name: "Read", input: { path: "a" } }],
};

function clientOf(api: MessagesApi, options: { readonly maxRetries?: number } = {}): Anthropic {
  const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY } = api.env();
  return new Anthropic({ baseURL: ANTHROPIC_BASE_URL, apiKey: ANTHROPIC_API_KEY, authToken: null, maxRetries: 0, logLevel: "off", ...options });
}

describe("the library of the service", () => {
  test("reads a stream as the message that it reads at once, and may send it back", async () => {
    await using api = startMessagesApi({ script: [REPLY, REPLY, { content: [{ type: "text", text: "done" }] }], credential: "sk-1" });
    const client = clientOf(api);
    const streamed = await client.messages.stream(REQUEST).finalMessage();
    const whole = await client.messages.create(REQUEST);
    const comparable = ({ content, stop_reason, usage }: Anthropic.Message) => ({
      content: content.map((block) => ({ ...block, ...("id" in block && { id: "" }), ...("signature" in block && { signature: "" }) })),
      stop_reason,
      output: usage.output_tokens,
    });
    expect(comparable(streamed)).toEqual(comparable(whole));
    const results = streamed.content.flatMap((block): Anthropic.ToolResultBlockParam[] => (block.type === "tool_use" ? [{ type: "tool_result", tool_use_id: block.id, content: "x" }] : []));
    const { content } = await client.messages.create({ ...REQUEST, messages: [...REQUEST.messages, { role: "assistant", content: streamed.content }, { role: "user", content: results }] });
    expect(content).toMatchObject([{ type: "text", text: "done" }]);
    api.expectNoRefusals();
  });

  test("tries again as it is told to", async () => {
    await using api = startMessagesApi({ script: [{ status: 529, headers: { "retry-after-ms": "1" } }, { content: [{ type: "text", text: "fine" }] }] });
    expect((await clientOf(api, { maxRetries: 1 }).messages.create(REQUEST)).content).toMatchObject([{ type: "text", text: "fine" }]);
    expect(api.requests.map(({ status, headers }) => [status, headers["x-stainless-retry-count"]])).toEqual([[529, "0"], [200, "1"]]);
  });

  test("throws what the service would make it throw", async () => {
    await using api = startMessagesApi({ script: [{ ...REPLY, faults: { errorEvent: { type: "overloaded_error", message: "Overloaded" } } }, { ...REPLY, faults: { omittedEvents: ["message_stop"] } }] });
    const client = clientOf(api);
    expect(await thrownBy(() => client.messages.create({ ...REQUEST, messages: [] }))).toMatchObject({ status: 400, requestID: "req_1", type: "invalid_request_error" });
    expect(await thrownBy(() => client.messages.stream(REQUEST).finalMessage())).toMatchObject({ status: undefined, type: "overloaded_error" });
    expect(await thrownBy(() => client.messages.stream(REQUEST).finalMessage())).toBeInstanceOf(AnthropicError);
  });

  test("counts tokens", async () => {
    await using api = startMessagesApi({ script: [] });
    const { max_tokens: _max, ...counted } = REQUEST;
    expect(await clientOf(api).messages.countTokens(counted)).toEqual({ input_tokens: 7 });
  });
});

describe("a process of its own", () => {
  test.each(["argument", "stdin"])("serves a script from its %s and shows its log", async (from) => {
    const options = JSON.stringify({ script: [{ content: [{ type: "text", text: "fine" }] }], repeatsLast: true });
    const child = Bun.spawn([process.execPath, "--no-env-file", join(import.meta.dir, "../fixtures/serve-messages-api.ts"), ...(from === "argument" ? [options] : [])], {
      stdin: "pipe",
      stdout: "pipe",
      stderr: "inherit",
    });
    const reader = readLines(child.stdout);
    if (from === "stdin") void child.stdin.write(`${options}\n`);
    const url = `http://127.0.0.1:${await reader()}`;
    const ask = (messages: readonly object[]) =>
      fetch(`${url}/v1/messages`, { method: "POST", headers: { "x-api-key": "k", "anthropic-version": "1" }, body: JSON.stringify({ ...REQUEST, messages }) });
    for (const messages of [REQUEST.messages, REQUEST.messages, []]) await (await ask(messages)).text();
    void child.stdin.write("log\nrefusals\n");
    expect(JSON.parse(await reader())).toMatchObject([{ status: 200 }, { status: 200, body: REQUEST }, { status: 400 }]);
    expect(JSON.parse(await reader())).toEqual(["3 /v1/messages 400: messages: at least one message is required"]);
    void child.stdin.end();
    expect(await child.exited).toBe(0);
  });
});

/** Gives a line at each call. */
function readLines(stream: ReadableStream<Uint8Array>): () => Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  return async () => {
    while (!rest.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`The process ended with ${JSON.stringify(rest)}`);
      rest += decoder.decode(value, { stream: true });
    }
    const [line = ""] = rest.split("\n", 1);
    rest = rest.slice(line.length + 1);
    return line;
  };
}
