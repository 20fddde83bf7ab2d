import { describe, expect, test } from "bun:test";
import type { Reply } from "../support/messages-api/answer.ts";
import type { Json } from "../support/messages-api/json.ts";
import { startMessagesApi, type MessagesApi } from "../support/messages-api/server.ts";
import { ask, refusalOf, USER } from "./post.ts";

const MODIFIED = "blocks in the latest assistant message cannot be modified";
const BINDING_HEADERS = { "x-api-key": "k", "anthropic-version": "2023-06-01", "anthropic-beta": "thinking-binding-controls-2026-08-01" };

/** Two rounds of calls with all kinds of thinking; then an end. */
const SCRIPT: readonly Reply[] = [
  { content: [{ type: "thinking", thinking: "one" }, { type: "redacted_thinking", data: "sealed" }, { type: "text", text: "I look." }, { type: "tool_use", name: "Read", input: { b: 1, a: 2 } }] },
  { content: [{ type: "thinking", thinking: "two" }, { type: "tool_use", name: "Read", input: {} }] },
];

interface Conversation {
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly content: readonly Json[] }[];
}

/** Asks twice, and gives the conversation that comes next: user, assistant, results, assistant, results. */
async function converse(api: MessagesApi): Promise<Conversation> {
  let messages: Conversation["messages"] = [{ role: "user", content: [{ type: "text", text: "hi" }] }];
  for (const _reply of SCRIPT) {
    const { content } = await ask(api, { system: "Be brief.", messages });
    const results = content.filter(({ type }) => type === "tool_use").map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "x" }));
    messages = [...messages, { role: "assistant", content }, { role: "user", content: results }];
  }
  return { system: "Be brief.", messages };
}

function open(options: { readonly bindsThinking?: boolean } = {}): MessagesApi {
  const [first, second] = SCRIPT;
  return startMessagesApi({
    script: (_request, index) => (index === 0 ? first : index === 1 ? second : undefined) ?? { content: [{ type: "text", text: "done" }] },
    rules: { bindsThinking: options.bindsThinking ?? true },
  });
}

function editBlocks(conversation: Conversation, message: number, edit: (blocks: readonly Json[]) => readonly Json[]): Conversation {
  return { ...conversation, messages: conversation.messages.map((each, index) => (index === message ? { ...each, content: edit(each.content) } : each)) };
}

const withoutThinking = (blocks: readonly Json[]) => blocks.filter(({ type }) => type !== "thinking" && type !== "redacted_thinking");
const withoutAnyThinking = (conversation: Conversation) => [1, 3].reduce((edited, message) => editBlocks(edited, message, withoutThinking), conversation);

test("thinking that comes back as it was is taken, in any order of members and under any cache mark", async () => {
  await using api = open();
  const conversation = await converse(api);
  const turned = editBlocks(conversation, 1, (blocks) => blocks.map((block) => Object.fromEntries(Object.entries(block).toReversed())));
  const marked = editBlocks(turned, 0, (blocks) => blocks.map((block) => ({ ...block, cache_control: { type: "ephemeral" } })));
  for (const each of [conversation, turned, marked]) expect(await refusalOf(api, { ...each })).toBeUndefined();
  api.expectNoRefusals();
});

describe("in the turn that is running", () => {
  test.each<[string, number, (blocks: readonly Json[]) => readonly Json[]]>([
    ["altered", 3, ([thinking, ...rest]) => [{ ...thinking, thinking: "two!" }, ...rest]],
    ["left out", 3, withoutThinking],
    ["left out earlier", 1, withoutThinking],
    ["left out in part", 1, ([first, , ...rest]) => [first ?? {}, ...rest]],
    ["moved", 1, ([first, second, ...rest]) => [second ?? {}, first ?? {}, ...rest]],
    ["moved behind text", 1, ([first, second, text, ...rest]) => [first ?? {}, text ?? {}, second ?? {}, ...rest]],
    ["moved behind the call", 3, (blocks) => blocks.toReversed()],
    ["sent twice", 3, ([first, ...rest]) => [first ?? {}, first ?? {}, ...rest]],
  ])("thinking that was %s is refused", async (_, message, edit) => {
    await using api = open({ bindsThinking: false });
    const edited = editBlocks(await converse(api), message, edit);
    expect(await refusalOf(api, { ...edited })).toContain(MODIFIED);
  });

  test("thinking may be left out under another model, which cannot read it", async () => {
    await using api = open();
    const conversation = await converse(api);
    expect(await refusalOf(api, { ...withoutAnyThinking(conversation), model: "other" })).toBeUndefined();
    const { input_transformations: dropped } = await ask(api, { ...conversation, model: "other" });
    expect(dropped?.map(({ path, reason }) => `${String(path)} ${String(reason)}`)).toEqual([
      "messages.1.content.0 model_binding_mismatch",
      "messages.1.content.1 model_binding_mismatch",
      "messages.3.content.0 model_binding_mismatch",
    ]);
  });
});

describe("of a turn that is over", () => {
  const next = (conversation: Conversation): Conversation => ({
    ...conversation,
    messages: [...conversation.messages, { role: "assistant", content: [{ type: "text", text: "done" }] }, { role: "user", content: [{ type: "text", text: "go on" }] }],
  });

  test("thinking may be left out, but for one between others", async () => {
    await using api = open();
    const conversation = next(await converse(api));
    expect(await refusalOf(api, { ...withoutAnyThinking(conversation) })).toBeUndefined();
    expect(await refusalOf(api, { ...editBlocks(conversation, 1, withoutThinking) })).toBeUndefined();
    const gap = editBlocks(conversation, 1, ([first, , ...rest]) => [first ?? {}, ...rest]);
    expect(await refusalOf(api, { ...gap })).toStartWith("messages.3.content.0: Invalid `signature` in `thinking` block. The block is bound");
  });

  test("altered thinking is refused all the same", async () => {
    await using api = open();
    const edited = editBlocks(next(await converse(api)), 1, ([first, ...rest]) => [{ ...first, thinking: "!" }, ...rest]);
    expect(await refusalOf(api, { ...edited })).toBe("messages.1.content.0: Invalid `signature` in `thinking` block");
  });
});

describe("over a prefix that was changed", () => {
  const EDITS: readonly [string, (conversation: Conversation) => Json][] = [
    ["a message", (conversation) => ({ ...editBlocks(conversation, 0, () => [{ type: "text", text: "bye" }]) })],
    ["the system prompt", (conversation) => ({ ...conversation, system: "Be long." })],
    ["the tools", (conversation) => ({ ...conversation, tools: [{ name: "Read", input_schema: { type: "object" } }] })],
  ];

  test.each(EDITS)("thinking is refused: %s", async (_, edit) => {
    await using api = open();
    expect(await refusalOf(api, edit(await converse(api)))).toStartWith("messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound");
  });

  test.each(EDITS)("a conversation without its thinking is taken: %s", async (_, edit) => {
    await using api = open();
    expect(await refusalOf(api, edit(withoutAnyThinking(await converse(api))))).toBeUndefined();
  });

  test("only what stands behind the change is refused", async () => {
    await using api = open();
    const edited = editBlocks(await converse(api), 2, ([result]) => [{ ...result, content: "cleared" }]);
    expect(await refusalOf(api, { ...edited })).toStartWith("messages.3.content.0: Invalid `signature`");
    expect(await refusalOf(api, { ...editBlocks(edited, 3, withoutThinking) })).toBeUndefined();
  });

  test("thinking is taken by a model that does not bind it", async () => {
    await using api = open({ bindsThinking: false });
    const edited = editBlocks(await converse(api), 0, () => [{ type: "text", text: "bye" }]);
    expect(await refusalOf(api, { ...edited })).toBeUndefined();
  });

  test("thinking is dropped for whoever asks for that, with the beta", async () => {
    await using api = open();
    const edited = editBlocks(await converse(api), 0, () => [{ type: "text", text: "bye" }]);
    const body = { ...edited, thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } };
    expect(await refusalOf(api, body)).toBe("thinking.adaptive.block_binding: Extra inputs are not permitted");
    const { input_transformations: dropped } = await ask(api, body, { headers: BINDING_HEADERS });
    expect(dropped).toHaveLength(3);
    expect(dropped?.[0]).toEqual({ type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" });
  });
});

test("thinking of another server is refused, unless it is to be taken", async () => {
  const messages = [USER, { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: "theirs" }, { type: "text", text: "x" }] }, USER];
  await using api = open();
  expect(await refusalOf(api, { messages })).toBe("messages.1.content.0: Invalid `signature` in `thinking` block");
  await using tolerant = startMessagesApi({ script: [{ content: [] }], acceptsForeignThinking: true });
  expect(await refusalOf(tolerant, { messages })).toBeUndefined();
});

test("two replies to one conversation go on apart", async () => {
  await using api = startMessagesApi({
    script: (_request, index) => ({ content: [{ type: "thinking", thinking: `try ${index}` }, { type: "tool_use", name: "Read", input: {} }] }),
  });
  for (const _try of [1, 2]) {
    const { content } = await ask(api, { messages: [USER] });
    const results = [{ type: "tool_result", tool_use_id: content[1]?.["id"], content: "x" }];
    expect(await refusalOf(api, { messages: [USER, { role: "assistant", content }, { role: "user", content: results }] })).toBeUndefined();
  }
});

test("a paused turn goes back as it is, and only so, to a model without prefill", async () => {
  await using api = startMessagesApi({
    script: (_request, index) => ({ content: [{ type: "thinking", thinking: "hm" }, { type: "text", text: `part ${index}` }], stopReason: "pause_turn" }),
    rules: { allowsPrefill: false },
  });
  let messages: readonly Json[] = [USER];
  for (const _pause of [1, 2, 3]) {
    const { content, stop_reason: stopReason } = await ask(api, { messages });
    expect(stopReason).toBe("pause_turn");
    messages = [...messages, { role: "assistant", content }];
  }
  api.expectNoRefusals();
  const cut = [...messages.slice(0, -1), { role: "assistant", content: "part" }];
  expect(await refusalOf(api, { messages: cut })).toContain("does not support assistant message prefill");
});

test("blocks of kinds that only the server knows are taken back as they were", async () => {
  await using api = startMessagesApi({ script: [{ content: [{ type: "x_hologram", data: [1] }, { type: "text", text: "x" }] }, { content: [] }] });
  const { content } = await ask(api, { messages: [USER] });
  const back = (blocks: readonly Json[]) => ({ messages: [USER, { role: "assistant", content: blocks }, USER] });
  expect(await refusalOf(api, back([{ type: "x_hologram", data: [2] }]))).toContain("'x_hologram' found using 'type'");
  expect(await refusalOf(api, back(content))).toBeUndefined();
});
