import { startScriptedApi } from "../test/support/scripted-api-server.ts";
import { reply, text, toolUse } from "../test/support/api-reply.ts";
import { measure, median } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const TURNS = 60;

/** The time between the end of a reply that calls Bash and the next request, less the command's own. */
export const turnOverhead: Measurement = async ({ programs, directory }) => {
  const repliedAt: number[] = [];
  const askedAt: number[] = [];
  await using api = startScriptedApi({
    turns: (_request, index) => {
      askedAt.push(performance.now());
      queueMicrotask(() => repliedAt.push(performance.now()));
      return index < TURNS ? reply(toolUse("Bash", { command: "true" }, `toolu_${index}`)) : reply(text("done"));
    },
  });
  const run = await measure([programs.agent, "run", "--permission-mode", "bypassPermissions", "go"], {
    env: { AGENT_STATE_DIR: directory, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "bench" },
  });
  if (run.exitCode !== 0) throw new Error(`The run failed with ${run.exitCode}`);
  const gaps = askedAt.slice(1).map((asked, index) => asked - (repliedAt[index] ?? asked));
  return [{ what: "ms from a reply with a Bash call to the next request, median", value: median(gaps), atMost: 10, note: `${gaps.length} turns` }];
};
