import { startScriptedApi } from "../test/support/scripted-api-server.ts";
import { reply, text, toolUse } from "../test/support/api-reply.ts";
import { measure } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const CALLS = 8;

/** How long eight calls of `sleep 0.5` in one reply take together. */
export const parallelCalls: Measurement = async ({ programs, directory }) => {
  const times: number[] = [];
  await using api = startScriptedApi({
    turns: (_request, index) => {
      times.push(performance.now());
      if (index > 0) return reply(text("done"));
      return reply(...Array.from({ length: CALLS }, (_, call) => toolUse("Bash", { command: "sleep 0.5" }, `toolu_${call}`)));
    },
  });
  const run = await measure([programs.agent, "run", "go"], { env: { AGENT_STATE_DIR: directory, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "bench" } });
  if (run.exitCode !== 0) throw new Error(`The run failed with ${run.exitCode}`);
  return [{ what: "seconds for eight parallel calls of sleep 0.5", value: ((times[1] ?? Number.NaN) - (times[0] ?? 0)) / 1_000, atMost: 0.53, digits: 3 }];
};
