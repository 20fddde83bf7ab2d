import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStateDirectory } from "../src/platform/state-directory.ts";
import { openLedger } from "../src/store/ledger.ts";
import { startMessagesApi } from "../test/support/messages-api/server.ts";
import { measurePeak } from "./measure.ts";
import type { Measurement } from "./measurement.ts";
import { askerOf, calls, recordsIn, says, startsChildren, textsIn } from "./subagents-script.ts";

const CHILDREN = 1_000;
const CONCURRENCY_MAX = 200;
const LATENCY_MS_MAX = 2_000;
const CALLS_OF_A_CHILD = 2;

/** A thousand children in the background: whether each answers once and its parent hears of it once, and what that takes. */
export const subagentCrowd: Measurement = async ({ programs, directory, amount = CHILDREN }) => {
  const cwd = join(directory, "project");
  const state = join(directory, "state");
  mkdirSync(cwd, { recursive: true });
  writeFileSync(join(cwd, "notes.txt"), "what is to be read\n");
  let seed = 1;
  let latencyMs = 0;
  const latency = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    latencyMs += (seed / 2_147_483_647) * LATENCY_MS_MAX;
    return (seed / 2_147_483_647) * LATENCY_MS_MAX;
  };
  const answers = new Map<string, number>();
  await using api = startMessagesApi({
    // The window of the model that is asked unless told.
    rules: { contextTokensMax: 1_000_000 },
    script(request) {
      const { name, turn } = askerOf(request);
      if (name === "ROOT-0") return turn === 0 ? calls(startsChildren(amount, { run_in_background: true })) : says("go on", latency());
      if (turn < CALLS_OF_A_CHILD) return calls([{ type: "tool_use", name: "Read", input: { file_path: join(cwd, "notes.txt") } }], latency());
      answers.set(name, (answers.get(name) ?? 0) + 1);
      return says(`${name} has read it`, latency());
    },
  });
  const run = await measurePeak(
    [programs.agent, "run", "--max-concurrency", String(CONCURRENCY_MAX), "--max-agents", String(2 * amount), "--permission-mode", "bypassPermissions", "ROOT-0 go"],
    { env: { ...api.env(), AGENT_STATE_DIR: state }, cwd },
  );
  api.expectNoRefusals();
  const notices = noticesOf(state);
  const once = (counts: ReadonlyMap<string, number>) => [...counts.values()].filter((count) => count === 1).length;
  const asked = api.requests.filter((request) => askerOf(request).name === "ROOT-0");
  const seen = Math.max(...asked.map(({ body }) => recordsIn(body["messages"]).flatMap(textsIn).join("").split("<task-notification>").length - 1));
  const idealMs = latencyMs / CONCURRENCY_MAX;
  const note = `${(run.wallMs / 1_000).toFixed(1)} s, latencies / ${CONCURRENCY_MAX} places ${(idealMs / 1_000).toFixed(1)} s, ${api.requests.length} requests, ${asked.length} of the root, ${seen} notices in the largest`;
  return [
    { what: `of ${amount} children that did not answer exactly once`, value: amount - once(answers), atMost: 0, digits: 0, note },
    { what: "of them without exactly one notice in the parent's transcript", value: Math.abs(amount - once(notices)) + (notices.size - once(notices)), atMost: 0, digits: 0 },
    { what: "peak memory in MiB", value: run.peakMiB, atMost: 600, digits: 1, note: `${(run.cpuMs / 1_000).toFixed(2)} s CPU` },
  ];
};

/** How often each child of the root is told of in its transcript. */
function noticesOf(path: string): ReadonlyMap<string, number> {
  const state = openStateDirectory({ state: path });
  const ledger = openLedger(state);
  const root = ledger.listTasks({ all: true }).find(({ parentTaskId }) => parentTaskId === undefined);
  const transcript = root === undefined ? "" : readFileSync(root.outputFile, "utf8");
  ledger.close();
  state.close();
  const counts = new Map<string, number>();
  for (const [, id = ""] of transcript.matchAll(/<task-notification>\\n<task-id>(\w+)</g)) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
