import { join } from "node:path";
import { startScriptedApi } from "../test/support/scripted-api-server.ts";
import { reply, text, toolUse } from "../test/support/api-reply.ts";
import { measurePeakMiB, median } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const FLOOD = "head -c 200000000 /dev/zero | tr '\\0' x";
const TURNS = 20;

/** A background command that prints 200 MB as fast as it can: what it does to the run's memory and to its turns. */
export const backgroundFlood: Measurement = async ({ programs, directory }) => {
  const flooded = await run(programs.agent, join(directory, "flood"), FLOOD);
  const quiet = await run(programs.agent, join(directory, "quiet"), "true");
  return [
    { what: "peak memory in MiB with 200 MB printed in the background", value: flooded.peakMiB, atMost: 120, digits: 1, note: `${quiet.peakMiB.toFixed(1)} without` },
    { what: "turn time with the flood / without", value: flooded.turnMs / quiet.turnMs, atMost: 2, note: `${flooded.turnMs.toFixed(1)} ms and ${quiet.turnMs.toFixed(1)} ms` },
  ];
};

async function run(agent: string, directory: string, command: string): Promise<{ readonly peakMiB: number; readonly turnMs: number }> {
  const askedAt: number[] = [];
  await using api = startScriptedApi({
    turns: (_request, index) => {
      askedAt.push(performance.now());
      if (index === 0) return reply(toolUse("Bash", { command, run_in_background: true }, "toolu_flood"));
      return index <= TURNS ? reply(toolUse("Bash", { command: "true" }, `toolu_${index}`)) : reply(text("done"));
    },
  });
  const peakMiB = await measurePeakMiB([agent, "run", "--permission-mode", "bypassPermissions", "--output-quota", "1GiB", "go"], {
    env: { AGENT_STATE_DIR: directory, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "bench" },
  });
  return { peakMiB, turnMs: median(askedAt.slice(2).map((asked, index) => asked - (askedAt[index + 1] ?? asked))) };
}
