import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openStateDirectory } from "../src/platform/state-directory.ts";
import { openLedger } from "../src/store/ledger.ts";
import { reply, text, toolUse } from "../test/support/api-reply.ts";
import { startScriptedApi } from "../test/support/scripted-api-server.ts";
import { measure, measurePeak } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const TASKS = 1_000;

/** A thousand background commands from one reply: whether all of them end well and whole, and what that takes. */
export const thousandTasks: Measurement = async ({ programs, directory, amount = TASKS }) => {
  const bare = await measure([process.execPath, join(import.meta.dir, "bare-spawns.ts"), String(amount)]);
  await using api = startScriptedApi({
    turns: (request, index) => {
      if (index === 0) return reply(...Array.from({ length: amount }, (_, task) => toolUse("Bash", { command: `echo ${task}; sleep 1`, run_in_background: true }, `toolu_task_${task}`)));
      const noticed = request.text.split("<task-notification>").length - 1;
      return noticed < amount ? reply(toolUse("Bash", { command: "sleep 0.5" }, `toolu_wait_${index}`)) : reply(text("done"));
    },
  });
  const run = await measurePeak([programs.agent, "run", "--permission-mode", "bypassPermissions", "go"], {
    env: { AGENT_STATE_DIR: directory, ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "bench" },
  });
  const whole = wholeTasks(directory);
  return [
    { what: `of ${amount} tasks not complete or without their whole output`, value: amount - whole, atMost: 0, digits: 0 },
    { what: "wall of the run / a bare loop of the same commands", value: run.wallMs / bare.wallMs, atMost: 2, note: `${run.wallMs.toFixed(0)} ms, bare ${bare.wallMs.toFixed(0)} ms` },
    { what: "peak memory in MiB", value: run.peakMiB, atMost: 250 * Math.max(1, amount / TASKS), digits: 1 },
  ];
};

function wholeTasks(path: string): number {
  const state = openStateDirectory({ state: path });
  const ledger = openLedger(state);
  const tasks = ledger.listTasks({ all: true }).flatMap(({ id }) => ledger.getTask(id) ?? []);
  ledger.close();
  state.close();
  return tasks.filter(({ status, outputFile, detail }) => {
    const number = /^echo (\d+); sleep 1$/.exec(String(detail["command"]))?.[1];
    return number !== undefined && status === "completed" && readFileSync(outputFile, "utf8") === `${number}\n`;
  }).length;
}
