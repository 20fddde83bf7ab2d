import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { AppError } from "../../src/core/errors.ts";
import { userText, type Message } from "../../src/core/message.ts";
import type { ModelClient } from "../../src/model/client.ts";
import { openModel } from "../../src/model/registry.ts";
import { readFailure, readReply, requestFor, type CollectedReply } from "../support/model-reply.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Opens a script by way of a file, as `scripted:FILE` does. */
async function open(script: unknown): Promise<ModelClient> {
  using dir = tempDir();
  writeFileSync(`${dir.path}/script.json`, typeof script === "string" ? script : JSON.stringify(script));
  return await openModel({ model: "scripted:script.json", env: {}, cwd: dir.path });
}

function demo(): Promise<ModelClient> {
  return openModel({ model: "scripted:demo", env: {}, cwd: "/" });
}

/** The conversation after a reply whose calls came out like this. */
function goOn(messages: readonly Message[], reply: CollectedReply, results: readonly { content: string; isError?: true }[]): Message[] {
  const calls = reply.calls.map(({ id, name, input }) => ({ type: "tool_use" as const, id, name, input }));
  return [
    ...messages,
    { role: "assistant", content: [{ type: "text", text: reply.text }, ...calls] },
    {
      role: "user",
      content: results.map(({ content, isError }, index) => ({
        type: "tool_result" as const,
        tool_use_id: calls[index]?.id ?? "none",
        content,
        ...(isError === true && { is_error: true as const }),
      })),
    },
  ];
}

const ASK = { expect: { prompt: "list" }, reply: [{ text: "Looking." }, { tool: "Bash", input: { command: "ls 👋" } }] };
const TELL = { expect: { results: [{ tool: "Bash", contains: "a.txt", isError: false }] }, reply: [{ text: "One file." }] };

describe("a script", () => {
  test("may say how much fits into its model", async () => {
    expect((await demo()).limits).toEqual({ contextTokens: 200_000, outputTokensMax: 32_000 });
    expect((await open({ v: 1, turns: [ASK], contextTokens: 3_000 })).limits).toEqual({ contextTokens: 3_000, outputTokensMax: 32_000 });
    expect((await open({ v: 1, turns: [ASK], outputTokensMax: 64 })).limits).toEqual({ contextTokens: 200_000, outputTokensMax: 64 });
  });

  test("plays its turns with the events of the service", async () => {
    const model = await open({ v: 1, turns: [{ ...ASK, chunkChars: 10 }, TELL] });
    const request = requestFor("list the files");
    const asked = await readReply(model, request);
    expect(model.model).toBe("scripted:script.json");
    const id = asked.calls[0]?.id ?? "";
    expect(id).toMatch(/^toolu_[0-9a-z]+$/);
    expect(asked.events).toEqual([
      { type: "message_start", usage: { input: expect.any(Number) as number, output: 1, cacheRead: 0, cacheWrite: 0 } },
      { type: "block_start", index: 0, block: { type: "text", text: "" } },
      { type: "block_delta", index: 0, delta: { type: "text_delta", text: "Looking." } },
      { type: "block_stop", index: 0 },
      { type: "block_start", index: 1, block: { type: "tool_use", id, name: "Bash" } },
      { type: "block_delta", index: 1, delta: { type: "input_json_delta", partialJson: '{"command"' } },
      { type: "block_delta", index: 1, delta: { type: "input_json_delta", partialJson: ':"ls 👋"}' } },
      { type: "block_stop", index: 1 },
      { type: "message_delta", stopReason: "tool_use", usage: { output: expect.any(Number) as number } },
      { type: "message_stop" },
    ]);
    const told = await readReply(model, requestFor("", { messages: goOn(request.messages, asked, [{ content: "a.txt" }]) }));
    expect([told.text, told.stopReason]).toEqual(["One file.", "end_turn"]);
  });

  test("goes on where a resumed conversation stands, and says the same to the same request", async () => {
    const script = { v: 1, turns: [ASK, TELL] };
    const request = requestFor("list");
    const asked = await readReply(await open(script), request);
    expect((await readReply(await open(script), request)).events).toEqual(asked.events);
    const resumed = requestFor("", { messages: goOn(request.messages, asked, [{ content: "a.txt" }]) });
    expect((await readReply(await open(script), resumed)).text).toBe("One file.");
  });

  test("gives calls of different conversations different ids", async () => {
    const model = await open({ v: 1, turns: [ASK] });
    const ids = await Promise.all(["list a", "list b"].map(async (prompt) => (await readReply(model, requestFor(prompt))).calls[0]?.id));
    expect(new Set(ids).size).toBe(2);
  });

  test("says its stop reason, and repeats its last turn where it says so", async () => {
    const model = await open({ v: 1, turns: [{ reply: [], stopReason: "refusal" }], repeatLast: true });
    const first = await readReply(model, requestFor("hi"));
    expect([first.stopReason, first.text]).toEqual(["refusal", ""]);
    const later = requestFor("", { messages: [userText("hi"), { role: "assistant", content: [{ type: "text", text: "no" }] }, userText("please")] });
    expect((await readReply(model, later)).stopReason).toBe("refusal");
  });

  test("fails as often as it says, with the class of the status, then replies", async () => {
    const error = { status: 529, message: "busy", retryAfterMs: 5, times: 2 };
    const model = await open({ v: 1, turns: [{ error, reply: [{ text: "At last." }] }] });
    for (let attempt = 1; attempt <= 2; attempt++) {
      expect((await readFailure(model, requestFor("hi"))).error).toMatchObject({ class: "retryable", status: 529, retryAfterMs: 5 });
    }
    expect((await readReply(model, requestFor("hi"))).text).toBe("At last.");
  });

  test.each([
    [401, "auth"],
    [404, "not_found"],
    [413, "too_long"],
    [429, "rate_limit"],
  ] as const)("fails for ever with %i as %s", async (status, errorClass) => {
    const model = await open({ v: 1, turns: [{ error: { status, message: "no" } }] });
    for (let attempt = 1; attempt <= 3; attempt++) expect((await readFailure(model, requestFor("hi"))).error.class).toBe(errorClass);
  });

  test("can be aborted while it lets itself be waited for, and between events", async () => {
    const slow = await open({ v: 1, turns: [{ reply: [{ text: "x" }], delayMs: 600_000 }] });
    const waiting = new AbortController();
    const failure = readFailure(slow, requestFor("hi"), waiting.signal);
    waiting.abort();
    expect((await failure).error.class).toBe("aborted");
    const long = await open({ v: 1, turns: [{ reply: [{ text: "x".repeat(1_000) }], chunkChars: 1 }] });
    const reading = new AbortController();
    const read = async () => {
      for await (const event of long.stream(requestFor("hi"), reading.signal)) if (event.type === "block_delta") reading.abort();
    };
    expect(await read().catch((error: unknown) => error)).toMatchObject({ class: "aborted" });
  });
});

describe("a conversation that the script does not expect is refused with the nearest difference:", () => {
  async function refusal(script: readonly unknown[], messages: readonly Message[], system: readonly string[] = []): Promise<string> {
    const { error, events } = await readFailure(await open({ v: 1, turns: script }), requestFor("", { messages, system }));
    expect(error.class).toBe("script");
    expect(events).toEqual([]);
    return error.message;
  }

  const PROMPT = 'Cannot answer as "scripted:script.json": ';
  const asked: Message[] = [userText("list"), { role: "assistant", content: [{ type: "tool_use", id: "a", name: "Bash", input: {} }] }];
  const result = (content: string, is_error?: true): Message => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "a", content, ...(is_error === true && { is_error }) }],
  });

  test("another prompt", async () => {
    expect(await refusal([{ expect: { prompt: "fix the test" }, reply: [] }], [userText("please fix the lint")])).toBe(
      `${PROMPT}the conversation differs from turns[0].expect.prompt: expected text with "fix the test", got "please fix the lint"; nearest: after "fix the " expected "test", got "lint"`,
    );
    expect(await refusal([{ expect: { prompt: "list" }, reply: [] }], [userText("hi")])).toBe(
      `${PROMPT}the conversation differs from turns[0].expect.prompt: expected text with "list", got "hi"`,
    );
  });

  test("another system prompt", async () => {
    const script = [{ expect: { system: "careful" }, reply: [] }];
    expect(await refusal(script, [userText("hi")], ["Be", "quick"])).toContain('expect.system: expected text with "careful", got "Be\\nquick"');
  });

  test("another result, tool, count or outcome", async () => {
    const expecting = (results: unknown) => [ASK, { expect: { results }, reply: [] }];
    expect(await refusal(expecting([{ contains: "a.txt" }]), [...asked, result("b.txt")])).toContain(
      'turns[1].expect.results[0].contains: expected text with "a.txt", got "b.txt"',
    );
    expect(await refusal(expecting([{ tool: "Read" }]), [...asked, result("b")])).toContain('results[0].tool: expected "Read", got "Bash"');
    expect(await refusal(expecting([{ isError: false }]), [...asked, result("not allowed", true)])).toContain(
      'results[0].isError: expected false, got true with "not allowed"',
    );
    expect(await refusal(expecting([{}, { tool: "Read" }]), [...asked, result("b")])).toContain("results[1]: expected a result of Read, got none");
    expect(await refusal(expecting([]), [...asked, result("b")])).toContain("results: expected 0, got 1");
  });

  test("more turns than there are", async () => {
    expect(await refusal([ASK], [...asked, result("b")])).toBe(`${PROMPT}turn 2 was asked for, the script has 1`);
  });

  test.each<[string, Message[]]>([
    ["there is none", []],
    ["the role is assistant instead of user", [{ role: "assistant", content: [{ type: "text", text: "x" }] }]],
    ["it is empty", [{ role: "user", content: [] }]],
    ["it holds empty text", [userText(" ")]],
    ["its tool calls are not answered", asked],
    ["the tool results are [] for the calls [a]", [...asked, userText("go on")]],
    ["text stands before a tool result", [...asked, { role: "user", content: [{ type: "text", text: "x" }, ...result("b").content] as never }]],
    ["it holds an empty tool result", [...asked, result("")]],
  ])("a shape that the service would refuse: %s", async (fault, messages) => {
    expect(await refusal([ASK, TELL], messages)).toContain(fault);
  });
});

describe("a file that is no script is refused with its path and the place in it:", () => {
  test.each([
    ["{", "JSON"],
    [{ v: 2, turns: [{ reply: [] }] }, "v: "],
    [{ v: 1, turns: [] }, "turns: "],
    [{ v: 1, turns: [{ reply: [{ text: "" }] }] }, "turns[0].reply[0]"],
    [{ v: 1, turns: [{ reply: [] }, { reply: [], expects: {} }] }, "turns[1]: "],
    [{ v: 1, turns: [{ error: { status: 200, message: "" } }] }, "turns[0].error.status: "],
    [{ v: 1, turns: [{ error: { status: 500, message: "", times: 1 } }] }, "turns[0]: a turn needs a reply"],
  ])("%j", async (script, place) => {
    const error: unknown = await open(script).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ reason: "usage", code: "invalid_script" });
    expect(String(error)).toContain('script.json": ');
    expect(String(error)).toContain(place);
  });
});

describe("the demo", () => {
  test("runs the test, mends the code, runs the test again and reports", async () => {
    const model = await demo();
    const request = requestFor("Fix the failing test");
    const outcomes: { content: string; isError?: true }[][] = [
      [{ content: "1\treturn items.reduce((sum, item) => sum + item.price, 0);" }, { content: " 0 pass\n 1 fail", isError: true }],
      [{ content: "Edited cart.js" }],
      [{ content: " 1 pass\n 0 fail" }],
    ];
    let messages: readonly Message[] = request.messages;
    const calls: unknown[] = [];
    for (const outcome of outcomes) {
      const reply = await readReply(model, { ...request, messages });
      calls.push(...reply.calls.map(({ name, input }) => ({ name, input })));
      messages = goOn(messages, reply, outcome);
    }
    expect(calls).toEqual([
      { name: "Read", input: { file_path: "cart.js" } },
      { name: "Bash", input: { command: "bun test", description: "Run the tests" } },
      { name: "Edit", input: { file_path: "cart.js", old_string: "sum + item.price", new_string: "sum + item.price * item.quantity" } },
      { name: "Bash", input: { command: "bun test", description: "Run the tests again" } },
    ]);
    const last = await readReply(model, { ...request, messages });
    expect([last.text, last.stopReason]).toEqual([expect.stringContaining("the tests pass") as string, "end_turn"]);
  });

  test("tells everybody else what it is and what it plays, as often as asked", async () => {
    const model = await demo();
    const hello = await readReply(model, requestFor("hi"));
    expect(hello.text).toContain("fix the failing test");
    expect(hello.stopReason).toBe("end_turn");
    const again = requestFor("", { messages: [userText("hi"), { role: "assistant", content: [{ type: "text", text: hello.text }] }, userText("and now?")] });
    expect((await readReply(model, again)).text).toBe(hello.text);
  });
});
