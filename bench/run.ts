import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildBenchPrograms } from "./programs.ts";
import { backgroundFlood } from "./background-flood.ts";
import { idle } from "./idle.ts";
import { cacheShare } from "./cache-share.ts";
import { faultStorm } from "./fault-storm.ts";
import { longConversation } from "./long-conversation.ts";
import { killCycles } from "./kill-cycles.ts";
import { cappedFlood } from "./capped-flood.ts";
import { launch } from "./launch.ts";
import { list } from "./list.ts";
import { orphans } from "./orphans.ts";
import { parallelCalls } from "./parallel-calls.ts";
import { pipeThroughput } from "./pipe-throughput.ts";
import { races } from "./races.ts";
import { racesEnd } from "./races-end.ts";
import { requestSize } from "./request-size.ts";
import { soak } from "./soak.ts";
import { budget } from "./budget.ts";
import { startUp } from "./start-up.ts";
import { stops } from "./stops.ts";
import { thousandTasks } from "./thousand-tasks.ts";
import { manySubagents, subagents } from "./subagents.ts";
import { subagentCrowd } from "./subagents-crowd.ts";
import { subagentFork } from "./subagents-fork.ts";
import { subagentTokens } from "./subagents-tokens.ts";
import { turnOverhead } from "./turn-overhead.ts";
import { permissionDecision } from "./permission-decision.ts";
import { shellFuzz } from "./shell-fuzz.ts";
import type { Measurement } from "./measurement.ts";

const MEASUREMENTS: Readonly<Record<string, Measurement>> = {
  "start-up": startUp,
  launch,
  "request-size": requestSize,
  "turn-overhead": turnOverhead,
  "parallel-calls": parallelCalls,
  "background-flood": backgroundFlood,
  "pipe-throughput": pipeThroughput,
  "capped-flood": cappedFlood,
  races,
  budget,
  list,
  orphans,
  stops,
  "thousand-tasks": thousandTasks,
  soak,
  "races-end": racesEnd,
  idle,
  "kill-cycles": killCycles,
  "permission-decision": permissionDecision,
  "shell-fuzz": shellFuzz,
  "cache-share": cacheShare,
  "long-conversation": longConversation,
  "fault-storm": faultStorm,
  subagents,
  "many-subagents": manySubagents,
  "subagent-crowd": subagentCrowd,
  "subagent-fork": subagentFork,
  "subagent-tokens": subagentTokens,
};

const { positionals } = parseArgs({ allowPositionals: true, strict: true });
/** Name → how much of it, where that is told: `soak`, `soak=20000`. */
const asked = new Map(positionals.map((text) => [text.split("=")[0] ?? "", text.split("=")[1]]));
const unknown = [...asked.keys()].filter((name) => MEASUREMENTS[name] === undefined);
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(", ")}; there are ${Object.keys(MEASUREMENTS).join(", ")}`);
  process.exit(2);
}
const out = resolve(import.meta.dir, "..", "dist", "bench");
mkdirSync(out, { recursive: true });
const programs = await buildBenchPrograms(out);
let allHeld = true;
for (const [name, measurement] of Object.entries(MEASUREMENTS)) {
  if (asked.size > 0 && !asked.has(name)) continue;
  const amount = asked.get(name);
  const directory = join(out, `state-${name}-${process.pid}`);
  for (const row of await measurement({ programs, directory, ...(amount === undefined ? {} : { amount: Number(amount) }) })) {
    const holds = row.value <= row.atMost;
    allHeld &&= holds;
    console.log(`${holds ? "ok  " : "MISS"} ${row.what}: ${row.value.toFixed(row.digits ?? 2)} (at most ${row.atMost})${row.note === undefined ? "" : `  ${row.note}`}`);
  }
}
process.exit(allHeld ? 0 : 1);
