import { startMessagesApi } from "../test/support/messages-api/server.ts";
import { measure } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const TURNS = 50;
const SETTLED_FROM = 5;

/** How much of the input of a long run is not read from the prompt cache, once it has settled. */
export const cacheShare: Measurement = async ({ programs, directory, amount = TURNS }) => {
  await using api = startMessagesApi({
    script: (_request, index) =>
      index < amount
        ? { content: Array.from({ length: 1 + (index % 12) }, (_, call) => ({ type: "tool_use" as const, name: "Bash", input: { command: `echo ${index} ${call}` } })) }
        : { content: [{ type: "text", text: "done" }] },
  });
  const run = await measure([programs.agent, "run", "--permission-mode", "bypassPermissions", "go"], { env: { ...api.env(), AGENT_STATE_DIR: directory } });
  if (run.exitCode !== 0) throw new Error(`The run failed with ${run.exitCode}`);
  api.expectNoRefusals();
  const settled = api.requests.slice(SETTLED_FROM).map(({ usage }) => ({ read: Number(usage?.["cache_read_input_tokens"] ?? 0), all: tokensOf(usage) }));
  const read = settled.reduce((sum, each) => sum + each.read, 0);
  const all = settled.reduce((sum, each) => sum + each.all, 0);
  return [{ what: "percent of input tokens not read from the cache", value: (1 - read / all) * 100, atMost: 5, note: `${read} of ${all} tokens in ${settled.length} requests` }];
};

function tokensOf(usage: Readonly<Record<string, unknown>> | undefined): number {
  return ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].reduce((sum, name) => sum + Number(usage?.[name] ?? 0), 0);
}
