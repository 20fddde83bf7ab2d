import { openLedger } from "../src/store/ledger.ts";
import { openStateDirectory } from "../src/platform/state-directory.ts";
import { resolveStatePaths } from "../src/platform/state-paths.ts";
import { generateTaskId } from "../src/platform/task-id.ts";
import { measure, median } from "./measure.ts";
import type { Measurement } from "./measurement.ts";

const TASKS = 10_000;

/** How long a list of ten thousand finished tasks takes, all of them printed. */
export const list: Measurement = async ({ programs, directory }) => {
  await fill(directory);
  const costs = [];
  for (let round = 0; round < 10; round++) costs.push(await measure([programs.agent, "ps", "-a"], { env: { AGENT_STATE_DIR: directory } }));
  const lines = costs[0]?.stdout.trimEnd().split("\n").length ?? 0;
  if (lines < TASKS) throw new Error(`Only ${lines} lines were listed`);
  return [{ what: "ms to list 10,000 finished tasks", value: median(costs.map((cost) => cost.wallMs)), atMost: 80, digits: 1 }];
};

async function fill(directory: string): Promise<void> {
  const state = openStateDirectory(resolveStatePaths({ AGENT_STATE_DIR: directory }));
  const ledger = openLedger(state);
  for (let index = 0; index < TASKS; index++) {
    const id = generateTaskId("local_bash");
    await ledger.insertTask(
      {
        id,
        type: "local_bash",
        status: "running",
        description: `echo ${index}`,
        startTime: Date.now() - index * 1_000,
        outputFile: `${directory}/tasks/${id}.output`,
        outputOffset: 0,
        notified: true,
        attempt: 1,
        runId: "run",
        sessionId: "session",
        cwd: "/",
        detail: {},
      },
      { durable: false },
    );
    await ledger.endTask(id, 1, { status: "completed", exit: { code: 0, reason: "ok" } }, { endTime: Date.now(), durable: false });
  }
  ledger.close();
  state.close();
}
