import { describe, expect, test } from "bun:test";
import { THINKING_TOKENS_MIN, type Thinking } from "../../src/core/thinking.ts";
import { openAnthropicModel } from "../../src/model/anthropic.ts";
import { buildRequest } from "../../src/model/build-request.ts";
import { readEndpoint } from "../../src/model/credentials.ts";
import { thinkingParameters } from "../../src/model/thinking-parameters.ts";
import { mayThink } from "../../src/model/thinking-traits.ts";
import { startMessagesApi } from "../support/messages-api/server.ts";
import { readReply, requestFor } from "../support/model-reply.ts";

const asked = (model: string, thinking: Thinking | undefined, outputTokensMax = 32_000) => thinkingParameters(model, thinking, outputTokensMax);

describe("a model that decides by itself when it thinks", () => {
  test.each(["claude-sonnet-5-5", "claude-opus-5-5", "claude-opus-5", "claude-haiku-5-5", "claude-fable-5-2", "claude-opus-4-7"])("%s is told an effort, also in the place of a number", (model) => {
    const efforts = (["low", "medium", "high", 1_024, 10_000, 60_000] as const).map((thinking) => asked(model, thinking));
    expect(efforts).toEqual((["low", "medium", "high", "low", "medium", "high"] as const).map((effort) => ({ thinking: { type: "adaptive" }, effort })));
  });

  test("takes a number where it knows both", () => {
    expect(asked("claude-opus-4-6", 5_000)).toEqual({ thinking: { type: "enabled", budget_tokens: 5_000 } });
    expect(asked("claude-opus-4-6", "high")).toEqual({ thinking: { type: "adaptive" }, effort: "high" });
  });
});

describe("a model that is told a number of tokens, known or not", () => {
  test.each(["claude-haiku-4-5", "claude-haiku-4-5-20251001", "claude-opus-4-5", "some-server/some-model"])("%s gets one", (model) => {
    expect([asked(model, "low"), asked(model, 2_000)]).toEqual([{ thinking: { type: "enabled", budget_tokens: 4_000 } }, { thinking: { type: "enabled", budget_tokens: 2_000 } }]);
  });

  test("always leaves room for the answer, and does not think where there is none", () => {
    for (let outputTokensMax = 1; outputTokensMax < 40_000; outputTokensMax += 97) {
      for (const thinking of ["low", "high", 100_000] as const) {
        const { thinking: sent } = asked("claude-haiku-4-5", thinking, outputTokensMax);
        if (sent === undefined) expect(outputTokensMax).toBeLessThan(1_400);
        else if (sent.type === "enabled") {
          expect(sent.budget_tokens).toBeGreaterThanOrEqual(THINKING_TOKENS_MIN);
          expect(sent.budget_tokens).toBeLessThan(outputTokensMax);
        }
      }
    }
  });
});

describe("thinking that is off", () => {
  test.each([
    ["claude-sonnet-5-5", { thinking: { type: "between_tools" } }],
    ["claude-sonnet-5", { thinking: { type: "disabled" } }],
    ["claude-opus-5", { thinking: { type: "disabled" } }],
    ["claude-haiku-5-5", { thinking: { type: "disabled" } }],
    // Cannot be stopped, and would refuse to be told so.
    ["claude-opus-5-5", {}],
    ["claude-fable-5", {}],
    // Do not think unless told.
    ["claude-opus-4-8", {}],
    ["claude-haiku-4-5", {}],
    ["some-model", {}],
  ] as const)("of %s is %j", (model, parameters) => {
    expect(asked(model, "off")).toEqual(parameters);
  });
});

test("a model of which nothing is said does as it does by itself, and nothing is sent", () => {
  for (const model of ["claude-sonnet-5-5", "claude-haiku-4-5", "x"]) expect(asked(model, undefined)).toEqual({});
  expect(Object.keys(buildRequest("claude-sonnet-5-5", requestFor("hi")))).not.toContain("thinking");
});

test("the body of a request holds it, an effort beside a budget of the task", () => {
  const body = buildRequest("claude-opus-5-5", requestFor("hi", { thinking: "low", taskBudget: { total: 30_000 } }));
  expect([body.thinking, body.output_config]).toEqual([{ type: "adaptive" }, { effort: "low", task_budget: { type: "tokens", total: 30_000 } }]);
});

test("a parameter that the server was found not to know is left out", () => {
  const body = buildRequest("claude-opus-5-5", requestFor("hi", { thinking: "low", without: ["thinking"] }));
  expect([body.thinking, body.output_config]).toEqual([undefined, undefined]);
});

test("every model takes what it is sent, whatever is asked for", async () => {
  const takes: Readonly<Record<string, readonly string[]>> = {
    "claude-sonnet-5-5": ["adaptive", "between_tools"],
    "claude-opus-5-5": ["adaptive"],
    "claude-opus-5": ["adaptive", "disabled"],
    "claude-opus-4-8": ["adaptive", "disabled"],
    "claude-opus-4-6": ["adaptive", "disabled", "enabled"],
    "claude-haiku-4-5": ["disabled", "enabled"],
  };
  for (const [model, thinkingTypes] of Object.entries(takes)) {
    await using api = startMessagesApi({ rules: { thinkingTypes }, script: () => ({ content: [{ type: "text", text: "ok" }] }) });
    const client = openAnthropicModel({ model, endpoint: readEndpoint(api.env()) });
    for (const thinking of ["off", "low", "medium", "high", 1_024, 90_000] as const) {
      expect((await readReply(client, requestFor("hi", { thinking, maxOutputTokens: 8_000 }))).stopReason).toBe("end_turn");
    }
  }
});

test("a model may think where it is asked to, where nobody has told it to stop, and where nothing stops it", () => {
  const table = ["claude-opus-5-5", "claude-sonnet-5-5", "claude-opus-4-8", "claude-haiku-4-5", "some-model"].map((model) => ([undefined, "off", "low", 2_048] as const).map((thinking) => mayThink(model, thinking)));
  expect(table).toEqual([
    [true, true, true, true],
    [true, false, true, true],
    [false, false, true, true],
    [false, false, true, true],
    [false, false, true, true],
  ]);
});
