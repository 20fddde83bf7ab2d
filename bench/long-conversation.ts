import { join } from "node:path";
import { startMessagesApi } from "../test/support/messages-api/server.ts";
import { measurePeak, median } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const TURNS = 300;
const EDGE = 50;
const FEW_TURNS = 10;
const RESULT_BYTES = 4_096;

/**
 * A run of many turns with results of 4 KB: what a turn costs at the end against the beginning, and memory. The time of a
 * turn is that between a reply and the arrival of the next request, without what the server itself takes. Of more turns
 * only memory has a bound: what is sent grows with each, and so does the time.
 */
export const longConversation: Measurement = async ({ programs, directory, amount = TURNS }) => {
  const few = await converse(programs.agent, { directory: join(directory, "few"), turns: FEW_TURNS });
  const many = await converse(programs.agent, { directory: join(directory, "many"), turns: amount });
  const [first, last] = [median(many.gaps.slice(0, EDGE)), median(many.gaps.slice(-EDGE))];
  const note = `a turn took ${first.toFixed(1)} ms in the beginning, ${last.toFixed(1)} ms at the end`;
  return [
    ...(amount > TURNS ? [] : [{ what: `overhead of a turn, the last ${EDGE} of ${amount} / the first`, value: last / first, atMost: 1.2 }]),
    { what: `MiB that a run of ${amount} turns needs more than one of ${FEW_TURNS}`, value: many.peakMiB - few.peakMiB, atMost: amount > TURNS ? 80 : 40, digits: 0 },
    { what: `peak memory of a run of ${amount} turns in MiB`, value: many.peakMiB, atMost: 150, digits: 0, note },
  ];
};

async function converse(agent: string, { directory, turns }: { readonly directory: string; readonly turns: number }): Promise<{ readonly peakMiB: number; readonly gaps: readonly number[] }> {
  const repliedAt: number[] = [];
  await using api = startMessagesApi({
    // The window of the model that is asked unless told.
    rules: { contextTokensMax: 1_000_000 },
    script: (_request, index) => {
      setImmediate(() => repliedAt.push(Date.now()));
      if (index >= turns) return { content: [{ type: "text", text: "done" }] };
      return { content: [{ type: "tool_use", name: "Bash", input: { command: `head -c ${RESULT_BYTES} /dev/zero | tr '\\0' x` } }] };
    },
  });
  const { peakMiB } = await measurePeak([agent, "run", "--max-turns", String(turns + 1), "--permission-mode", "bypassPermissions", "go"], { env: { ...api.env(), AGENT_STATE_DIR: directory } });
  api.expectNoRefusals();
  return { peakMiB, gaps: api.requests.slice(1).map(({ arrivedAtMs }, index) => arrivedAtMs - (repliedAt[index] ?? arrivedAtMs)) };
}
