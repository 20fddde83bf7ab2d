import { AppError } from "../src/core/errors.ts";
import { exitFor } from "../src/core/exit-code.ts";
import { isTerminalTaskStatus, TASK_ID_PREFIXES, TASK_TYPES, type TaskType } from "../src/core/task.ts";
import { endTask } from "../src/engine/end-task.ts";
import { registerTask } from "../src/engine/register-task.ts";
import { stopTask } from "../src/engine/stop-task.ts";
import { openLedger } from "../src/store/ledger.ts";
import { loadTaskKind } from "../src/tasks/registry.ts";
import { STARTABLE_KINDS } from "../test/conformance/kinds.ts";
import type { TaskKindFixture } from "../test/conformance/task-kind-fixture.ts";
import { sampleTask, taskId } from "../test/support/sample-task.ts";
import { testState } from "../test/support/test-state.ts";
import { testTaskHost } from "../test/support/test-task-host.ts";
import { waitFor } from "../test/support/wait-for.ts";
import type { BenchRow, Measurement } from "./measurement.ts";

const RACES = 1_000;
const LIFE_MS_MAX = 200;
const PARENT = taskId("a00000001");

/** Tasks that end by themselves and are stopped in the same moment, of every kind. */
export const racesEnd: Measurement = async ({ amount = RACES }) => {
  const rows: BenchRow[] = [];
  for (const type of TASK_TYPES) rows.push(await raceRecords(type, amount));
  for (const fixture of STARTABLE_KINDS) rows.push(await raceWork(fixture, amount));
  return rows;
};

/** Three who end the record of one task at once. */
async function raceRecords(type: TaskType, races: number): Promise<BenchRow> {
  using host = testTaskHost();
  let wrong = 0;
  for (let race = 0; race < races; race++) {
    const id = taskId(`${TASK_ID_PREFIXES[type]}${String(race + 10).padStart(8, "0")}`);
    await registerTask(sampleTask({ id, type, parentTaskId: PARENT, sessionId: host.sessionId, isBackgrounded: true }), host, { durable: false });
    host.events.length = 0;
    await Promise.all([
      endTask(id, { status: "completed", exit: exitFor("ok") }, host, { isSilent: false }),
      endTask(id, { status: "failed", exit: exitFor("failed"), error: "Exit code 1" }, host, { isSilent: false }),
      unlessEnded(stopTask(id, host, { findKind: loadTaskKind, isSilent: false })),
    ]);
    const notices = host.ledger.pendingNotifications(PARENT).filter((notice) => notice.taskId === id);
    const endings = host.events.filter((event) => event.type === "task.updated");
    if (notices.length !== 1 || endings.length !== 1 || endings[0]?.status !== host.ledger.getTask(id)?.status) wrong++;
  }
  return { what: `of ${races} races for the record of a ${type} without exactly one ending and one notice`, value: wrong, atMost: 0, digits: 0 };
}

/** Real work that ends well by itself, stopped about when it does. */
async function raceWork(fixture: TaskKindFixture, races: number): Promise<BenchRow> {
  using state = testState();
  await using world = await fixture.open(state.path);
  const ledger = openLedger(state.directory);
  let [wrong, stopped, lifeMs] = [0, 0, 5];
  for (let race = 0; race < races; race++) {
    const id = await world.start("succeeding");
    await Bun.sleep(Math.random() * lifeMs);
    await unlessEnded(world.stop(id));
    const task = await waitFor(() => {
      const record = ledger.getTask(id);
      return record !== undefined && isTerminalTaskStatus(record.status) && record;
    });
    if (task.status === "killed") stopped++;
    // Both ways about as often.
    lifeMs = Math.min(LIFE_MS_MAX, lifeMs * (task.status === "killed" ? 1.05 : 1 / 1.05));
    const endings = world.events.filter((event) => event.type === "task.updated" && event.task_id === id);
    const notices = world.parent === undefined ? 0 : ledger.pendingNotifications(world.parent).filter((notice) => notice.taskId === id).length;
    // Whoever stops a task is not told of that.
    const due = world.parent === undefined || task.status === "killed" ? 0 : 1;
    if (endings.length !== 1 || notices !== due) wrong++;
  }
  ledger.close();
  return {
    what: `of ${races} races of a ${fixture.kind.type} with its stop without exactly one ending and one notice`,
    value: wrong,
    atMost: 0,
    digits: 0,
    note: `${stopped} were stopped, ${races - stopped} ended by themselves`,
  };
}

async function unlessEnded(stop: Promise<unknown>): Promise<void> {
  try {
    await stop;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "not_running") throw error;
  }
}
