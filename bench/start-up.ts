import { startScriptedApi } from "../test/support/scripted-api-server.ts";
import { reply, text } from "../test/support/api-reply.ts";
import { compare, measure, measurePeakMiB, median } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const PAIRS = 25;

/** What `agent version` and a whole `agent run "hi"` cost beside a program that does nothing. */
export const startUp: Measurement = async ({ programs, directory }) => {
  await using api = startScriptedApi({ turns: () => reply(text("hi")) });
  const env = { AGENT_STATE_DIR: directory, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "bench" };
  const empty = () => measure([programs.empty]);
  const version = await compare(() => measure([programs.agent, "version"]), empty, PAIRS);
  const run = await compare(() => measure([programs.agent, "run", "hi"], { env }), empty, PAIRS);
  if (run.a.exitCode !== 0 || run.a.stdout !== "hi\n") throw new Error(`The run failed: ${run.a.exitCode} ${run.a.stdout}`);
  const peaks: number[] = [];
  for (let round = 0; round < 5; round++) peaks.push(await measurePeakMiB([programs.agent, "run", "hi"], { env }));
  return [
    { what: "CPU of version / empty", value: version.cpuRatio, atMost: 2, note: `${version.a.cpuMs.toFixed(1)} ms, empty ${version.b.cpuMs.toFixed(1)} ms` },
    { what: 'CPU of run "hi" / empty', value: run.cpuRatio, atMost: 10, note: `${run.a.cpuMs.toFixed(1)} ms, wall ${run.a.wallMs.toFixed(1)} ms` },
    { what: 'peak memory of run "hi" in MiB', value: median(peaks), atMost: 75, digits: 1 },
  ];
};
