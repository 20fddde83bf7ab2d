import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMessagesApi } from "../test/support/messages-api/server.ts";
import { measurePeak } from "./measure.ts";
import type { BenchRow, Measurement } from "./measurement.ts";
import { askerOf, calls, says, startsChildren } from "./subagents-script.ts";

const REPLY_MS = 200;
const CALLS_OF_A_CHILD = 3;
/** The root's two replies, and those of the children beside each other. */
const IDEAL_MS = REPLY_MS * (2 + CALLS_OF_A_CHILD + 1);

/** Ten children that are waited for, each of which reads a file three times. */
export const subagents: Measurement = async ({ programs, directory, amount = 10 }) => {
  const run = await runChildren({ agent: programs.agent, directory, count: amount });
  return [
    { what: `ms that ${amount} children take beyond their replies`, value: run.wallMs - IDEAL_MS, atMost: 300, digits: 0, note: `${run.wallMs.toFixed(0)} ms, replies ${IDEAL_MS} ms` },
    { what: "peak memory in MiB", value: run.peakMiB, atMost: 120, digits: 1 },
    { what: "CPU seconds", value: run.cpuMs / 1_000, atMost: 0.6 },
  ];
};

/** A hundred children at once: waited for, and in the background. */
export const manySubagents: Measurement = async ({ programs, directory, amount = 100 }) => {
  const rows: BenchRow[] = [];
  for (const isBackgrounded of [false, true]) {
    const how = isBackgrounded ? "in the background" : "waited for";
    const run = await runChildren({ agent: programs.agent, directory: join(directory, how), count: amount, isBackgrounded });
    rows.push(
      { what: `ms that ${amount} children ${how} take beyond their replies`, value: run.wallMs - IDEAL_MS, atMost: 1_000, digits: 0, note: `${run.wallMs.toFixed(0)} ms, replies ${IDEAL_MS} ms, ${(run.cpuMs / 1_000).toFixed(2)} s CPU, ${run.concurrent} requests at once` },
      { what: "peak memory in MiB", value: run.peakMiB, atMost: 200, digits: 1 },
    );
  }
  return rows;
};

async function runChildren(params: { readonly agent: string; readonly directory: string; readonly count: number; readonly isBackgrounded?: boolean }) {
  const { agent, directory, count, isBackgrounded = false } = params;
  const cwd = join(directory, "project");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "notes.txt"), "what is to be read\n");
  await using api = startMessagesApi({
    script(request) {
      const { name, turn } = askerOf(request);
      if (name === "ROOT-0") return turn === 0 ? calls(startsChildren(count, { run_in_background: isBackgrounded }), REPLY_MS) : says("all have answered", REPLY_MS);
      return turn < CALLS_OF_A_CHILD ? calls([{ type: "tool_use", name: "Read", input: { file_path: join(cwd, "notes.txt") } }], REPLY_MS) : says("it has been read", REPLY_MS);
    },
  });
  const run = await measurePeak([agent, "run", "--max-concurrency", "200", "--max-agents", String(count), "--permission-mode", "bypassPermissions", "ROOT-0 go"], {
    env: { ...api.env(), AGENT_STATE_DIR: join(directory, "state") },
    cwd,
  });
  api.expectNoRefusals();
  const asked = api.requests.filter((request) => askerOf(request).name !== "ROOT-0").length;
  if (asked !== count * (CALLS_OF_A_CHILD + 1)) throw new Error(`The children asked ${asked} times`);
  return { ...run, concurrent: Math.max(...api.requests.map(({ concurrent }) => concurrent)) };
}
