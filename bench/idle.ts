import { reply, toolUse } from "../test/support/api-reply.ts";
import { startScriptedApi } from "../test/support/scripted-api-server.ts";
import { waitFor } from "../test/support/wait-for.ts";
import type { Measurement } from "./measurement.ts";
import { sampleProcess, slope } from "./process-sample.ts";

const SECONDS = 60;
const TASKS = 50;
/** What was used to get here is given back first. */
const SETTLE_MS = 5_000;
const SAMPLE_MS = 1_000;

/** A run that only waits, with fifty commands in the background that only wait: what it takes meanwhile. */
export const idle: Measurement = async ({ programs, directory, amount: seconds = SECONDS }) => {
  let isWaiting = false;
  await using api = startScriptedApi({
    turns: (request, index) => {
      if (index === 0) return reply(...Array.from({ length: TASKS }, (_, task) => toolUse("Bash", { command: "sleep 100000", run_in_background: true }, `toolu_${task}`)));
      isWaiting = true;
      const id = /task (b[0-9a-z]{8})/.exec(request.text)?.[1];
      return reply(toolUse("TaskOutput", { task_id: id, block: true, timeout: 600_000 }, `toolu_wait_${index}`));
    },
  });
  const run = Bun.spawn([programs.agent, "run", "--permission-mode", "bypassPermissions", "go"], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    env: { ...process.env, AGENT_STATE_DIR: directory, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "bench" },
  });
  try {
    await waitFor(() => isWaiting, { timeoutMs: 60_000 });
    await Bun.sleep(SETTLE_MS);
    const samples = [sampleProcess(run.pid)];
    for (let second = 0; second < seconds; second++) {
      await Bun.sleep(SAMPLE_MS);
      samples.push(sampleProcess(run.pid));
    }
    const [first, last] = [samples[0], samples.at(-1)];
    if (first === undefined || last === undefined || run.exitCode !== null) throw new Error("The run did not stay");
    const cpuMs = last.cpuMs - first.cpuMs;
    const memory = 60_000 * slope(samples.map(({ atMs, residentMiB }) => [atMs, residentMiB]));
    return [
      { what: `percent of a processor for ${TASKS} waiting tasks`, value: (100 * cpuMs) / (last.atMs - first.atMs), atMost: 0.1, digits: 3, note: `${cpuMs.toFixed(1)} ms in ${seconds} s` },
      { what: "MiB that a minute adds", value: memory, atMost: 0.5, note: `${last.residentMiB.toFixed(1)} MiB at the end` },
      { what: "descriptors that it adds", value: last.descriptors - first.descriptors, atMost: 0, digits: 0 },
    ];
  } finally {
    run.kill("SIGTERM");
    await run.exited;
  }
};
