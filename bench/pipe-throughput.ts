import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { measure, measurePeakMiB, median } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const BYTES = 1_000_000_000;
const ROUNDS = 5;

/** How fast a command's output gets from its pipe into its file, beside the same command that writes to a file itself. */
export const pipeThroughput: Measurement = async ({ programs, directory }) => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const command = `head -c ${BYTES} /dev/zero`;
  const ratios: number[] = [];
  let peakMiB = 0;
  let figures = "";
  for (let round = 0; round < ROUNDS; round++) {
    const direct = await measure(["sh", "-c", `${command} >${join(directory, "direct")}`]);
    const env = { AGENT_STATE_DIR: join(directory, "state") };
    const argv = [programs.agent, "run", "--output-format", "json", "--output-quota", "2GiB", "--exec", "--", "sh", "-c", command];
    const piped = await measure(argv, { env });
    if (piped.exitCode !== 0) throw new Error(`The run failed with ${piped.exitCode}`);
    ratios.push(piped.wallMs / direct.wallMs);
    if (round === 0) peakMiB = await measurePeakMiB(argv, { env });
    figures = `${direct.wallMs.toFixed(0)} ms direct, ${piped.wallMs.toFixed(0)} ms piped`;
    await measure(["rm", "-rf", join(directory, "state"), join(directory, "direct")]);
  }
  return [
    { what: "time to store 1 GB from a pipe / direct redirect, median", value: median(ratios), atMost: 2, note: figures },
    { what: "peak memory in MiB meanwhile", value: peakMiB, atMost: 120, digits: 1 },
  ];
};
