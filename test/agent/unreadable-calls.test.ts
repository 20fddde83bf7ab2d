import { describe, expect, test } from "bun:test";
import type { ModelEvent } from "../../src/model/client.ts";
import { reply, replyEndingWith, runScriptedQuery, testTool } from "../support/scripted-query.ts";

const call = { id: "t1", tool: "Echo", input: { value: "x" } };

/** The reply with other bytes as the input of its call. */
function withInput(events: readonly ModelEvent[], partialJson: string): ModelEvent[] {
  return events.map((event) =>
    event.type === "block_delta" && event.delta.type === "input_json_delta" ? { ...event, delta: { type: "input_json_delta", partialJson } } : event,
  );
}

function withoutBlockStops(events: readonly ModelEvent[]): ModelEvent[] {
  return events.filter((event) => event.type !== "block_stop");
}

const UNREADABLE: readonly (readonly [what: string, events: ModelEvent[]])[] = [
  ["is cut", withInput(reply("I will", call), '{"value": "x')],
  ["is a list", withInput(reply("I will", call), "[1]")],
  ["never ends", withoutBlockStops(reply("I will", call))],
  ["is missing with the call", replyEndingWith("tool_use", "I will")],
  ["is cut, where the service does not say why the reply ended", withInput(reply(call).filter((event) => event.type !== "message_delta"), '{"value": "x')],
];

describe("a reply with a call whose input cannot be read is not taken for the last word", () => {
  test.each(UNREADABLE)("it is asked for again: the input %s", async (_what, events) => {
    const run = await runScriptedQuery([events, reply(call), reply("done")], { attemptsMax: 2, tools: [testTool("Echo", ({ value }) => `echo ${value}`)] });
    expect(run.stop).toEqual({ type: "end_turn", text: "done" });
    expect(run.recorded.map((message) => message.role)).toEqual(["assistant", "user", "assistant"]);
    expect(run.requests[1]?.messages).toEqual(run.requests[0]?.messages ?? []);
  });

  test("and when it stays so, the loop ends with a failure", async () => {
    const run = await runScriptedQuery([withInput(reply(call), "["), withInput(reply(call), "[")], { attemptsMax: 2, tools: [testTool("Echo", () => "x")] });
    expect(run.stop).toMatchObject({ type: "model_error", error: { class: "retryable", message: expect.stringContaining('"Echo"') } });
    expect(run.recorded).toEqual([]);
  });
});
