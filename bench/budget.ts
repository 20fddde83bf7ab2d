import { createRunBudget } from "../src/engine/run-budget.ts";
import { openModel } from "../src/model/registry.ts";
import { startMessagesApi } from "../test/support/messages-api/server.ts";
import { runScriptedQuery, testTool } from "../test/support/scripted-query.ts";
import type { Measurement } from "./measurement.ts";

const AGENTS = 50;
const OUTPUT_TOKENS_MAX = 4_000;
/** Enough for some turns of each. */
const LIMIT_TOKENS = 400_000;

/** How far agents that ask at the same time go beyond the budget that they share, in replies of the largest size. */
export const budget: Measurement = async ({ amount = AGENTS }) => {
  let largest = 0;
  await using api = startMessagesApi({
    script: ({ body }, index) => {
      // Every third reply is as long as it may be.
      const output = index % 3 === 0 ? Number(body["max_tokens"]) : 200 + ((index * 613) % OUTPUT_TOKENS_MAX);
      return { content: [{ type: "tool_use", name: "Note", input: { value: "x".repeat((index * 97) % 2_000) } }], latencyMs: index % 20, usage: { output_tokens: Math.min(output, Number(body["max_tokens"])) } };
    },
  });
  const model = await openModel({ model: "claude-sonnet-5-5", cwd: "/", env: api.env() });
  const shared = createRunBudget({ limits: { tokens: LIMIT_TOKENS }, prices: {}, onWarning: () => undefined, onExceeded: () => undefined });
  const startedAt = performance.now();
  const runs = await Promise.all(
    Array.from({ length: amount }, () =>
      runScriptedQuery([], { model, budget: shared, tools: [testTool("Note", () => "noted")], outputTokensMax: OUTPUT_TOKENS_MAX, turnsMax: 1_000 }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1_000;
  const stops = new Set(runs.map(({ stop }) => stop.type));
  if (stops.size !== 1 || !stops.has("budget")) throw new Error(`Not every agent ended by the budget: ${[...stops].join(", ")}`);
  let spent = 0;
  for (const { usage } of api.requests) {
    const reply = Number(usage?.["input_tokens"] ?? 0) + Number(usage?.["cache_creation_input_tokens"] ?? 0) + Number(usage?.["output_tokens"] ?? 0);
    largest = Math.max(largest, reply);
    spent += reply;
  }
  const note = `${spent} of ${LIMIT_TOKENS} tokens in ${api.requests.length} replies of at most ${largest}, ${seconds.toFixed(1)} s`;
  return [
    { what: `overshoot of ${amount} agents with one budget, in replies`, value: Math.max(0, spent - LIMIT_TOKENS) / largest, atMost: 1, note },
    { what: "share of that budget that nobody could use", value: Math.max(0, LIMIT_TOKENS - spent) / LIMIT_TOKENS, atMost: 0.02 },
  ];
};
