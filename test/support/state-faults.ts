import { existsSync, readFileSync } from "node:fs";
import { isRecord } from "../../src/lib/is-record.ts";
import { isTerminalTaskStatus } from "../../src/core/task.ts";
import type { TaskState } from "../../src/core/task-state.ts";
import { openStateDirectory } from "../../src/platform/state-directory.ts";
import { openLedger } from "../../src/store/ledger.ts";
import type { RunRow } from "../../src/store/ledger-rows.ts";
import { openSessionDirectory } from "../../src/store/session-directory.ts";
import { processesWithMark } from "./processes.ts";

/** What a state folder has on record. */
export interface RecordedState {
  readonly runs: readonly RunRow[];
  /** All attempts of all tasks. */
  readonly tasks: readonly TaskState[];
}

export function recordedState(path: string): RecordedState {
  const state = openStateDirectory({ state: path });
  const ledger = openLedger(state, { create: false });
  try {
    const latest = ledger.listTasks({ all: true }).map(({ id, attempt }) => ({ id, attempt }));
    const tasks = latest.flatMap(({ id, attempt }) => Array.from({ length: attempt }, (_, earlier) => ledger.getTask(id, earlier + 1) ?? []).flat());
    const runs = [...new Set(tasks.map((task) => task.runId))].flatMap((runId) => ledger.getRun(runId) ?? []);
    return { runs, tasks };
  } finally {
    ledger.close();
    state.close();
  }
}

/**
 * What is wrong with a state folder of which no run lives any more, a line each: records that say otherwise, processes
 * that live on, event logs that do not end as they must. Empty as a rule.
 */
export function stateFaults(path: string, { runs, tasks }: RecordedState): string[] {
  return [
    ...tasks.filter((task) => !isTerminalTaskStatus(task.status)).map((task) => `task ${task.id} is ${task.status}`),
    ...runs.filter((run) => run.endedAt === undefined).map((run) => `run ${run.runId} has no end`),
    ...runs.flatMap((run) => processesWithMark(`AGENT_RUN_ID=${run.runId}`).map((pid) => `process ${pid} of run ${run.runId} lives`)),
    ...runs.flatMap((run) => eventLogFaults(path, run).map((fault) => `event log of run ${run.runId}: ${fault}`)),
  ];
}

function eventLogFaults(path: string, { runId, sessionId }: RunRow): string[] {
  const state = openStateDirectory({ state: path });
  const session = openSessionDirectory(state, sessionId, { create: false });
  const log = session.eventsPath(runId);
  session.close();
  state.close();
  if (!existsSync(log)) return ["is missing"];
  const text = readFileSync(log, "utf8");
  const events = text.trimEnd().split("\n").map(parse);
  const types = events.map((event) => event["type"]);
  return [
    ...(text.endsWith("\n") ? [] : ["its last line is torn"]),
    ...(events.every((event, index) => event["seq"] === index + 1) ? [] : ["its numbers do not go up by one"]),
    ...(types[0] === "run.started" ? [] : [`it begins with ${String(types[0])}`]),
    ...(types.filter((type) => type === "run.result").length === 1 && types.at(-1) === "run.result" ? [] : [`it ends with ${String(types.at(-1))}`]),
  ];
}

function parse(line: string): Readonly<Record<string, unknown>> {
  const event: unknown = JSON.parse(line);
  return isRecord(event) ? event : {};
}
