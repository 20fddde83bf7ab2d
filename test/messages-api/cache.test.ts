import { describe, expect, test } from "bun:test";
import type { Json } from "../support/messages-api/json.ts";
import { startMessagesApi, type MessagesApiOptions } from "../support/messages-api/server.ts";
import { waitFor } from "../support/wait-for.ts";
import { ask, MARK, post, readEvents, USER, type ReadMessage } from "./post.ts";

const SYSTEM = "s".repeat(400);
const block = (text: string, rest: Json = {}) => ({ type: "text", text, ...rest });
const user = (...content: readonly Json[]) => ({ role: "user", content });
const tokensOf = (...blocks: readonly Json[]) => Math.ceil(blocks.map((each) => JSON.stringify(each).length).reduce((sum, length) => sum + length, 0) / 4);

function open(options: Partial<MessagesApiOptions> = {}) {
  return startMessagesApi({ script: () => ({ content: [{ type: "text", text: "fine" }] }), ...options });
}

/** Tokens as [uncached, written, read]. */
function split({ usage }: Pick<ReadMessage, "usage">): readonly (number | undefined)[] {
  return [usage["input_tokens"], usage["cache_creation_input_tokens"], usage["cache_read_input_tokens"]];
}

test("without marks all input is uncached, and output is counted", async () => {
  await using api = open();
  const { usage } = await ask(api, { system: SYSTEM, messages: [USER] });
  expect(usage).toMatchObject({
    input_tokens: tokensOf(block(SYSTEM), block("hi")),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: tokensOf([{ type: "text", text: "fine" }] as unknown as Json),
  });
  expect(api.requests[0]?.usage).toEqual(usage);
});

test("a prefix is written once, and read by whoever begins with it", async () => {
  await using api = open();
  const tools = [{ name: "A", input_schema: { type: "object" } }];
  const system = [block(SYSTEM, MARK)];
  const prefix = tokensOf(...tools, block(SYSTEM));
  const rest = (text: string) => tokensOf(...tools, block(SYSTEM), block(text)) - prefix;
  expect(split(await ask(api, { tools, system, messages: [user(block("one"))] }))).toEqual([rest("one"), prefix, 0]);
  expect(split(await ask(api, { tools, system, messages: [user(block("two, longer"))] }))).toEqual([rest("two, longer"), 0, prefix]);
});

test("a conversation that grows reads what its last request wrote", async () => {
  await using api = open();
  const first = [user(block("one", MARK))];
  const grown = [user(block("one")), { role: "assistant", content: "fine" }, user(block("two", MARK))];
  const written = tokensOf(block(SYSTEM), block("one"));
  expect(split(await ask(api, { system: SYSTEM, messages: first }))).toEqual([0, written, 0]);
  const total = tokensOf(block(SYSTEM), block("one"), block("fine"), block("two"));
  expect(split(await ask(api, { system: SYSTEM, messages: grown }))).toEqual([0, total - written, written]);
  expect(split(await ask(api, { system: SYSTEM, messages: grown }))).toEqual([0, 0, total]);
});

describe("an entry is not read", () => {
  const request = (rest: Json = {}) => ({ tools: [{ name: "A", input_schema: { type: "object" } }], system: [block(SYSTEM, MARK)], messages: [user(block("one", MARK))], ...rest });
  test.each<[string, Json, "all" | "messages"]>([
    ["under another model", { model: "other" }, "all"],
    ["under other tools", { tools: [{ name: "B", input_schema: { type: "object" } }] }, "all"],
    ["under another system prompt", { system: [block("other", MARK)] }, "all"],
    ["of messages under another choice of tools", { tool_choice: { type: "auto" } }, "messages"],
    ["of messages under other thinking", { thinking: { type: "adaptive" } }, "messages"],
    ["of messages under another effort", { output_config: { effort: "low" } }, "messages"],
    ["of messages that differ", { messages: [user(block("two", MARK))] }, "messages"],
  ])("%s", async (_, change, lost) => {
    await using api = open();
    await ask(api, request());
    const { usage } = await ask(api, request(change));
    const prefix = tokensOf({ name: "A", input_schema: { type: "object" } }, block(SYSTEM));
    expect(usage["cache_read_input_tokens"]).toBe(lost === "all" ? 0 : prefix);
  });

  test("from more than 19 blocks away, but from 19", async () => {
    await using api = open();
    const blocks = Array.from({ length: 22 }, (_, index) => block(`block ${index}`));
    const upTo = (last: number) => ({ messages: [user(...blocks.slice(0, last), block(`block ${last}`, MARK))] });
    await ask(api, upTo(0));
    expect((await ask(api, upTo(19))).usage["cache_read_input_tokens"]).toBe(tokensOf(block("block 0")));
    await using other = open();
    await ask(other, upTo(0));
    expect((await ask(other, upTo(20))).usage["cache_read_input_tokens"]).toBe(0);
  });

  test.each([["5m", 300_000], ["1h", 3_600_000]] as const)("when it was not used for %s", async (ttl, lifeMs) => {
    let now = 0;
    await using api = open({ now: () => now });
    const body = { messages: [user(block("one", { cache_control: { type: "ephemeral", ttl } }))] };
    const reads = async (afterMs: number) => {
      now += afterMs;
      return Number((await ask(api, body)).usage["cache_read_input_tokens"]) > 0;
    };
    expect([await reads(0), await reads(lifeMs - 1), await reads(lifeMs - 1), await reads(lifeMs)]).toEqual([false, true, true, false]);
  });

  test("when its prefix is shorter than the model's least, and nobody is told", async () => {
    await using api = open({ rules: { cacheTokensMin: 50 } });
    const body = { messages: [user(block("short", MARK))] };
    await ask(api, body);
    expect(split(await ask(api, body))).toEqual([tokensOf(block("short")), 0, 0]);
    const long = { system: [block(SYSTEM, MARK)], messages: [USER] };
    await ask(api, long);
    expect(split(await ask(api, long))[2]).toBe(tokensOf(block(SYSTEM)));
  });
});

test("the mark of a whole request falls on its last block", async () => {
  await using api = open();
  const total = tokensOf(block(SYSTEM), block("hi"));
  expect(split(await ask(api, { ...MARK, system: SYSTEM, messages: [USER] }))).toEqual([0, total, 0]);
  expect(split(await ask(api, { system: SYSTEM, messages: [user(block("hi", MARK))] }))).toEqual([0, 0, total]);
});

test("what is written is told apart by its life", async () => {
  await using api = open();
  const system = [block(SYSTEM, { cache_control: { type: "ephemeral", ttl: "1h" } })];
  const { usage } = await ask(api, { system, messages: [user(block("one", MARK))] });
  const long = tokensOf(block(SYSTEM));
  expect(usage["cache_creation"] as unknown).toEqual({ ephemeral_1h_input_tokens: long, ephemeral_5m_input_tokens: tokensOf(block(SYSTEM), block("one")) - long });
});

test("an entry can be read once the first byte of the reply that wrote it was sent", async () => {
  const released = Promise.withResolvers<void>();
  await using api = startMessagesApi({
    script: async (_request, index) => {
      if (index === 0) await released.promise;
      return { content: [{ type: "text", text: "fine" }], ...(index === 0 && { faults: { breakOff: { how: "stall", afterEvents: 1 } } }) };
    },
  });
  const body = { system: [block(SYSTEM, MARK)], messages: [USER] };
  const slow = post(api, { ...body, stream: true });
  await waitFor(() => api.requests.length === 1 && api.requests[0]?.text !== "");
  expect((await ask(api, body, { headers: { "x-api-key": "k", "anthropic-version": "1" } })).usage["cache_read_input_tokens"]).toBe(0);
  released.resolve();
  await (await slow).body?.getReader().read();
  expect(api.requests[0]?.isOver).toBe(false);
  expect((await ask(api, body)).usage["cache_read_input_tokens"]).toBe(tokensOf(block(SYSTEM)));
});

test("an answer that is an error writes nothing", async () => {
  await using api = startMessagesApi({ script: (_request, index) => (index === 0 ? { status: 529, type: "overloaded_error" } : { content: [] }) });
  const body = { messages: [user(block("one", MARK))] };
  expect((await post(api, body)).status).toBe(529);
  expect(split(await ask(api, body))).toEqual([0, tokensOf(block("one")), 0]);
});

test("in a stream the last numbers include the first", async () => {
  await using api = open();
  const events = await readEvents(await post(api, { stream: true, system: [block(SYSTEM, MARK)], messages: [USER] }));
  const usages = events.flatMap((event) => {
    const { usage, message } = event as { usage?: Json; message?: { usage: Json } };
    return usage ?? message?.usage ?? [];
  });
  const input = { input_tokens: tokensOf(block(SYSTEM), block("hi")) - tokensOf(block(SYSTEM)), cache_creation_input_tokens: tokensOf(block(SYSTEM)), cache_read_input_tokens: 0 };
  expect(usages).toMatchObject([{ ...input, output_tokens: 1 }, { ...input, output_tokens: 8 }]);
});

describe("counting tokens", () => {
  test("gives the tokens of the whole prompt and uses nothing of the script up", async () => {
    await using api = startMessagesApi({ script: [] });
    const response = await post(api, {}, { path: "/v1/messages/count_tokens", bytes: JSON.stringify({ model: "m", system: SYSTEM, messages: [USER] }) });
    expect(await response.json()).toEqual({ input_tokens: tokensOf(block(SYSTEM), block("hi")) });
    api.expectNoRefusals();
  });

  test("refuses what only a request for a reply may hold, and answers with an error where it is told to", async () => {
    await using api = open({ countTokens: () => ({ status: 429, type: "rate_limit_error", message: "slow down" }) });
    const path = "/v1/messages/count_tokens";
    expect((await ask(api, { messages: [USER] }, { path })).error.message).toBe("max_tokens: Extra inputs are not permitted");
    const response = await post(api, {}, { path, bytes: JSON.stringify({ model: "m", messages: [USER] }) });
    expect(response.status).toBe(429);
    expect(await response.json()).toMatchObject({ error: { type: "rate_limit_error", message: "slow down" } });
  });
});
