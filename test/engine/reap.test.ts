import { expect, test } from "bun:test";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { exitFor } from "../../src/core/exit-code.ts";
import { runEventSchema } from "../../src/core/stream-event-schema.ts";
import type { TaskState } from "../../src/core/task-state.ts";
import { reapDeadRuns } from "../../src/engine/reap.ts";
import { currentProcess } from "../../src/platform/process-identity.ts";
import { openLedger, type Ledger } from "../../src/store/ledger.ts";
import { takeNewOwnerLock } from "../../src/store/owner-lock.ts";
import { isAlive } from "../support/processes.ts";
import { type RunOwner, startRunOwner } from "../support/run-owner.ts";
import { sampleRun, sampleTask, taskId } from "../support/sample-task.ts";
import { testState } from "../support/test-state.ts";
import { waitFor } from "../support/wait-for.ts";

const ROOT = taskId("a00000000");
const SHELL = taskId("b00000000");

/** A state folder with its ledger, as a command that looks at it has them. */
function watched() {
  const state = testState();
  const ledger = openLedger(state.directory);
  return {
    ledger,
    path: state.path,
    directory: state.directory,
    reap: (options: { readonly only?: readonly string[]; readonly reason?: "killed" } = {}) =>
      reapDeadRuns({ state: state.directory, ledger, now: () => 5_000_000_000_000, ...options }),
    [Symbol.dispose]() {
      ledger.close();
      state[Symbol.dispose]();
    },
  };
}

function statuses(ledger: Ledger, runId: string): string[] {
  return ledger.tasksOfRun(runId).map((task) => `${task.id} ${task.status} ${task.exit?.reason ?? "-"}`);
}

function eventsOf(state: string, owner: Pick<RunOwner, "runId" | "sessionId">): Record<string, unknown>[] {
  const text = readFileSync(join(state, "sessions", owner.sessionId, "events", `${owner.runId}.ndjson`), "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

async function deadRun(ledger: Ledger, runId: string, changes: Partial<TaskState> = {}): Promise<void> {
  const id = changes.id ?? taskId(runId.replace("run-", "a").padEnd(9, "0"));
  await ledger.insertRun(sampleRun({ runId, rootTaskId: id }), sampleTask({ type: "local_agent", runId, ...changes, id }), { durable: false });
}

test("the tasks of a killed owner become failed with owner_lost, their processes end, and the parent has a notice due", async () => {
  using state = watched();
  await using owner = await startRunOwner(state.path);
  await owner.kill();
  expect(isAlive(owner.shellPid)).toBe(true);

  const reaped = await state.reap();

  expect(reaped.map((task) => task.id)).toEqual([SHELL, ROOT]);
  expect(statuses(state.ledger, owner.runId)).toEqual([`${ROOT} failed owner_lost`, `${SHELL} failed owner_lost`]);
  expect(state.ledger.getTask(ROOT)).toMatchObject({ endTime: 5_000_000_000_000, error: "The process that ran this task is gone" });
  await waitFor(() => !isAlive(owner.shellPid));
  expect(state.ledger.processesOf(owner.runId)).toEqual([]);
  expect(state.ledger.pendingNotifications(ROOT)).toMatchObject([{ taskId: SHELL, attempt: 1, recipientTaskId: ROOT }]);
  expect(state.ledger.getRun(owner.runId)?.endedAt).toBe(5_000_000_000_000);
});

test("the event log is repaired and goes on to one recovered run.result, every line of it valid", async () => {
  using state = watched();
  await using owner = await startRunOwner(state.path);
  await owner.kill();
  await state.reap();

  const events = eventsOf(state.path, owner).map((event) => runEventSchema().parse(event));
  expect(events.map((event) => `${event.seq} ${event.type} ${event.task_id}`)).toEqual([
    `1 log ${ROOT}`,
    `2 log ${ROOT}`,
    `3 task.started ${ROOT}`,
    `4 task.started ${SHELL}`,
    `5 task.updated ${SHELL}`,
    `6 task.updated ${ROOT}`,
    `7 run.result ${ROOT}`,
  ]);
  expect(events.at(-1)).toMatchObject({
    status: "failed",
    exit: exitFor("owner_lost"),
    recovered: true,
    error: { code: "owner_lost" },
    children: [{ task_id: SHELL, status: "failed", exit_code: 1 }],
  });
});

test("a process that ignores SIGTERM is ended all the same", async () => {
  using state = watched();
  await using owner = await startRunOwner(state.path, { command: "trap '' TERM; while :; do sleep 0.05; done" });
  await owner.kill();
  await state.reap();
  await waitFor(() => !isAlive(owner.shellPid));
  expect(state.ledger.getTask(SHELL)?.error).toBe("The process that ran this task is gone");
});

test("the run of a living owner is left alone, also while it is halted by a signal", async () => {
  using state = watched();
  await using owner = await startRunOwner(state.path);
  expect(await state.reap()).toEqual([]);
  owner.signal("SIGSTOP");
  expect(await state.reap()).toEqual([]);
  expect(statuses(state.ledger, owner.runId)).toEqual([`${ROOT} running -`, `${SHELL} running -`]);
  expect(isAlive(owner.shellPid)).toBe(true);
});

test("of several reapers at once one does the work", async () => {
  using state = watched();
  await using owner = await startRunOwner(state.path);
  await owner.kill();
  const other = openLedger(state.directory);
  const reaped = await Promise.all([
    state.reap(),
    reapDeadRuns({ state: state.directory, ledger: other, now: Date.now }),
    state.reap(),
  ]);
  other.close();
  expect(reaped.flat().map((task) => task.id)).toEqual([SHELL, ROOT]);
  expect(eventsOf(state.path, owner).filter((event) => event["type"] === "run.result")).toHaveLength(1);
  expect(await state.reap()).toEqual([]);
});

test("a process that only has the pid of a recorded one is not touched", async () => {
  using state = watched();
  const bystander = Bun.spawn(["sleep", "60"], { stdio: ["ignore", "ignore", "ignore"] });
  try {
    await deadRun(state.ledger, "run-1", { id: ROOT });
    const { bootId } = currentProcess();
    await state.ledger.addProcess(ROOT, 1, { pid: bystander.pid, startTime: "1", bootId });
    await state.ledger.addProcess(ROOT, 1, { pid: process.pid, startTime: currentProcess().startTime, bootId: "another boot" });
    expect(await state.reap()).toHaveLength(1);
    expect(state.ledger.processesOf("run-1")).toEqual([]);
    expect(isAlive(bystander.pid)).toBe(true);
  } finally {
    bystander.kill("SIGKILL");
  }
});

test("pending tasks fail too, terminal ones stay as they are, and a task in the foreground has no notice due", async () => {
  using state = watched();
  await deadRun(state.ledger, "run-1", { id: ROOT });
  const child = (id: string, changes: Partial<TaskState>) =>
    state.ledger.insertTask(sampleTask({ id: taskId(id), parentTaskId: ROOT, ...changes }), { durable: false });
  await child("b00000001", { status: "pending", isBackgrounded: false });
  await child("b00000002", { status: "completed", exit: exitFor("ok"), endTime: 2_000 });
  await state.reap();
  expect(statuses(state.ledger, "run-1")).toEqual([`${ROOT} failed owner_lost`, "b00000001 failed owner_lost", "b00000002 completed ok"]);
  expect(state.ledger.getTask(taskId("b00000002"))?.endTime).toBe(2_000);
  expect(state.ledger.pendingNotifications(ROOT)).toEqual([]);
});

test("an owner whose lock has vanished is dead", async () => {
  using state = watched();
  const lock = takeNewOwnerLock(state.directory, "run-1");
  await deadRun(state.ledger, "run-1");
  expect(await state.reap()).toEqual([]);
  rmSync(lock.path);
  expect(await state.reap()).toHaveLength(1);
  lock.release();
});

test("only the runs that are named are looked at, and on request they end as killed", async () => {
  using state = watched();
  await deadRun(state.ledger, "run-1");
  await deadRun(state.ledger, "run-2");
  const reaped = await state.reap({ only: ["run-2"], reason: "killed" });
  expect(reaped).toMatchObject([{ runId: "run-2", status: "killed", exit: exitFor("killed"), error: "Stopped on request" }]);
  expect(state.ledger.liveRuns().map((run) => run.runId)).toEqual(["run-1"]);
});

test("an event log that cannot be written keeps no task from ending", async () => {
  using state = watched();
  await deadRun(state.ledger, "run-1", { sessionId: "../outside" });
  expect(await state.reap()).toMatchObject([{ status: "failed", exit: exitFor("owner_lost") }]);
});

test("many dead runs are all reaped", async () => {
  using state = watched();
  const runs = Array.from({ length: 40 }, (_, index) => `run-${index + 100}`);
  for (const run of runs) await deadRun(state.ledger, run, { id: taskId(`a00000${run.slice(-3)}`) });
  expect(await state.reap()).toHaveLength(runs.length);
  expect(state.ledger.liveRuns()).toEqual([]);
});
