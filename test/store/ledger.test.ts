import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { linkSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitFor } from "../../src/core/exit-code.ts";
import type { NotificationRow } from "../../src/core/task-host.ts";
import { generateTaskId } from "../../src/platform/task-id.ts";
import { openLedger, type Ledger } from "../../src/store/ledger.ts";
import { sampleRun, sampleTask, taskId } from "../support/sample-task.ts";
import { testState } from "../support/test-state.ts";
import { appErrorOf } from "../support/thrown.ts";

const SHELL = taskId("b00000000");
const ROOT = taskId("a00000000");
const NOT_DURABLE = { durable: false };

function testLedger(): { readonly ledger: Ledger; readonly state: ReturnType<typeof testState>; [Symbol.dispose](): void } {
  const state = testState();
  const ledger = openLedger(state.directory);
  return {
    ledger,
    state,
    [Symbol.dispose]() {
      ledger.close();
      state[Symbol.dispose]();
    },
  };
}

function notification(changes: Partial<NotificationRow> = {}): NotificationRow {
  return { notificationId: "n-1", taskId: SHELL, attempt: 1, recipientTaskId: ROOT, ...changes };
}

const KILLED = { status: "killed", exit: exitFor("killed") } as const;

describe("records", () => {
  test("a task comes back as it was given, with every optional field and with none", async () => {
    using opened = testLedger();
    const full = sampleTask({
      id: taskId("b11111111"),
      toolUseId: "toolu_1",
      endTime: 2_000,
      totalPausedMs: 5,
      parentTaskId: ROOT,
      name: "build",
      isBackgrounded: false,
      exit: exitFor("failed"),
      error: "exit status 2",
      status: "failed",
      notified: true,
      outputOffset: 77,
      detail: { command: "mäke 😀", nested: { list: [1, null] } },
    });
    await opened.ledger.insertTask(sampleTask(), NOT_DURABLE);
    await opened.ledger.insertTask(full, { durable: true });
    expect(opened.ledger.getTask(SHELL)).toEqual(sampleTask());
    expect(opened.ledger.getTask(full.id)).toEqual(full);
    expect(opened.ledger.getTask(taskId("b99999999"))).toBeUndefined();
  });

  test("what lives in memory alone is not recorded", async () => {
    using opened = testLedger();
    await opened.ledger.insertTask(
      sampleTask({ mirror: { retain: true, messages: [], isLoadedFromDisk: false, pendingMessages: [] } }),
      NOT_DURABLE,
    );
    expect(opened.ledger.getTask(SHELL)).toEqual(sampleTask());
  });

  test("a recorded attempt cannot be recorded again, the next one can", async () => {
    using opened = testLedger();
    await opened.ledger.insertTask(sampleTask(), NOT_DURABLE);
    const error = await appErrorOf(() => opened.ledger.insertTask(sampleTask({ description: "other" }), NOT_DURABLE));
    expect([error.reason, error.code]).toEqual(["conflict", "exists"]);
    await opened.ledger.insertTask(sampleTask({ attempt: 2 }), NOT_DURABLE);
    expect(opened.ledger.getTask(SHELL)?.attempt).toBe(2);
    expect(opened.ledger.getTask(SHELL, 1)?.description).toBe("make");
  });

  test("a run and its root task are recorded together or not at all", async () => {
    using opened = testLedger();
    const run = sampleRun({ controlDirectory: "/run/user/1/agent" });
    await opened.ledger.insertRun(run, sampleTask({ id: ROOT }), { durable: true });
    expect(opened.ledger.getRun("run-1")).toEqual(run);
    expect(opened.ledger.tasksOfRun("run-1")).toEqual([sampleTask({ id: ROOT })]);

    const error = await appErrorOf(() => opened.ledger.insertRun(sampleRun({ runId: "run-2" }), sampleTask({ id: ROOT }), NOT_DURABLE));
    expect(error.reason).toBe("conflict");
    expect(opened.ledger.getRun("run-2")).toBeUndefined();
    const again = await appErrorOf(() => opened.ledger.insertRun(run, sampleTask(), NOT_DURABLE));
    expect(again.reason).toBe("conflict");
    expect(opened.ledger.getTask(SHELL)).toBeUndefined();

    await opened.ledger.endRun("run-1", 9_000);
    expect(opened.ledger.getRun("run-1")).toEqual({ ...run, endedAt: 9_000 });
  });
});

describe("transitions", () => {
  test("pending, running, terminal, and nothing goes back", async () => {
    using opened = testLedger();
    await opened.ledger.insertTask(sampleTask({ status: "pending" }), NOT_DURABLE);
    expect(await opened.ledger.endTask(SHELL, 1, { status: "completed", exit: exitFor("ok") }, { endTime: 1, durable: false })).toBeUndefined();
    expect((await opened.ledger.startTask(SHELL, 1))?.status).toBe("running");
    expect(await opened.ledger.startTask(SHELL, 1)).toBeUndefined();
    const ended = await opened.ledger.endTask(
      SHELL,
      1,
      { status: "failed", exit: exitFor("timeout"), error: "too slow", detail: { exitCode: null } },
      { endTime: 2_000, durable: true },
    );
    const expected = sampleTask({
      status: "failed",
      exit: exitFor("timeout"),
      error: "too slow",
      endTime: 2_000,
      notified: true,
      detail: { command: "make", exitCode: null },
    });
    expect(ended).toEqual(expected);
    expect(await opened.ledger.endTask(SHELL, 1, KILLED, { endTime: 3_000, durable: true })).toBeUndefined();
    expect(await opened.ledger.startTask(SHELL, 1)).toBeUndefined();
    expect(opened.ledger.getTask(SHELL)).toEqual(expected);
  });

  test("a pending attempt may be killed, an unknown one may not", async () => {
    using opened = testLedger();
    await opened.ledger.insertTask(sampleTask({ status: "pending" }), NOT_DURABLE);
    expect(await opened.ledger.endTask(SHELL, 2, KILLED, { endTime: 1, durable: false })).toBeUndefined();
    expect((await opened.ledger.endTask(SHELL, 1, KILLED, { endTime: 1, durable: false }))?.status).toBe("killed");
  });

  test("terminal status and notification are written together", async () => {
    using opened = testLedger();
    await opened.ledger.insertTask(sampleTask(), NOT_DURABLE);
    await opened.ledger.insertTask(sampleTask({ id: taskId("b11111111") }), NOT_DURABLE);
    const end = { endTime: 2_000, notification: notification(), durable: true };
    expect((await opened.ledger.endTask(SHELL, 1, KILLED, end))?.notified).toBe(false);
    expect(opened.ledger.pendingNotifications(ROOT)).toEqual([notification()]);

    // The id is taken: the notification fails, and the status with it.
    const other = notification({ taskId: taskId("b11111111") });
    await appErrorOf(() => opened.ledger.endTask(taskId("b11111111"), 1, KILLED, { ...end, notification: other }));
    expect(opened.ledger.getTask(taskId("b11111111"))?.status).toBe("running");
    expect(opened.ledger.pendingNotifications(ROOT)).toEqual([notification()]);
  });

  test("whoever loses the race writes no notification", async () => {
    using opened = testLedger();
    await opened.ledger.insertTask(sampleTask(), NOT_DURABLE);
    const end = (notificationId: string) =>
      opened.ledger.endTask(SHELL, 1, KILLED, { endTime: 2_000, notification: notification({ notificationId }), durable: false });
    const outcomes = await Promise.all([end("n-1"), end("n-2"), end("n-3")]);
    expect(outcomes.filter((outcome) => outcome !== undefined)).toHaveLength(1);
    expect(opened.ledger.pendingNotifications(ROOT)).toHaveLength(1);
  });

  test("a notification is due until it is given, and to its recipient alone", async () => {
    using opened = testLedger();
    await opened.ledger.insertTask(sampleTask(), NOT_DURABLE);
    await opened.ledger.endTask(SHELL, 1, KILLED, { endTime: 2_000, notification: notification(), durable: false });
    expect(opened.ledger.pendingNotifications(taskId("a11111111"))).toEqual([]);
    expect((await opened.ledger.patchTask(SHELL, 1, { notified: true }))?.notified).toBe(true);
    expect(opened.ledger.pendingNotifications(ROOT)).toEqual([]);
  });

  test("four processes that end the same tasks have one winner each", async () => {
    using opened = testLedger();
    const ids = Array.from({ length: 100 }, (_, number) => taskId(`b${String(number).padStart(8, "0")}`));
    for (const id of ids) await opened.ledger.insertTask(sampleTask({ id }), NOT_DURABLE);
    const racers = ["r1", "r2", "r3", "r4"].map((racer) =>
      Bun.spawn([process.execPath, join(import.meta.dir, "../fixtures/race-transitions.ts"), opened.state.path, "run-1", racer], {
        stdout: "pipe",
        stderr: "inherit",
      }),
    );
    const won = await Promise.all(racers.map(async (racer): Promise<string[]> => JSON.parse(await racer.stdout.text())));
    expect(won.flat().toSorted()).toEqual(ids);
    expect(opened.ledger.pendingNotifications(ROOT)).toHaveLength(ids.length);
    // The winner's ending is the one that stands.
    for (const [index, racer] of ["r1", "r2", "r3", "r4"].entries()) {
      for (const id of won[index] ?? []) expect(opened.ledger.getTask(taskId(id))?.error).toBe(racer);
    }
  });
});

describe("patches", () => {
  test("named fields change, fields of the detail are replaced, the rest stays", async () => {
    using opened = testLedger();
    await opened.ledger.insertTask(sampleTask({ detail: { command: "make", progress: { a: 1, b: 2 } } }), NOT_DURABLE);
    const patched = await opened.ledger.patchTask(SHELL, 1, {
      isBackgrounded: true,
      outputOffset: 12,
      description: "build",
      detail: { progress: { a: 3 } },
    });
    const expected = sampleTask({
      isBackgrounded: true,
      outputOffset: 12,
      description: "build",
      detail: { command: "make", progress: { a: 3 } },
    });
    expect(patched).toEqual(expected);
    expect(opened.ledger.getTask(SHELL)).toEqual(expected);
    expect(await opened.ledger.patchTask(SHELL, 1, {})).toEqual(expected);
  });

  test("of a terminal attempt only what concerns its delivery changes", async () => {
    using opened = testLedger();
    await opened.ledger.insertTask(sampleTask(), NOT_DURABLE);
    const ended = await opened.ledger.endTask(SHELL, 1, KILLED, { endTime: 2_000, notification: notification(), durable: false });
    expect(await opened.ledger.patchTask(SHELL, 1, { description: "other", notified: true })).toBeUndefined();
    expect(await opened.ledger.patchTask(SHELL, 1, { detail: { late: true } })).toBeUndefined();
    expect(opened.ledger.getTask(SHELL)).toEqual(ended);
    expect(await opened.ledger.patchTask(SHELL, 1, { notified: true, outputOffset: 9 })).toMatchObject({ notified: true, outputOffset: 9 });
    expect(await opened.ledger.patchTask(SHELL, 2, { notified: true })).toBeUndefined();
  });
});

describe("lists", () => {
  test("the latest attempt of each of 10,000 tasks, newest first, without detail", async () => {
    using opened = testLedger();
    const database = new Database(join(opened.state.path, "ledger.db"));
    database.run(`
      WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 9999)
      INSERT INTO tasks (task_id, attempt, type, status, description, start_time, output_file, output_offset, notified,
        run_id, session_id, cwd, exit_code, exit_reason, detail)
      SELECT printf('b%08d', n), 1, 'local_bash', 'completed', 'd', n, '/o', 0, 1, 'run-1', 's', '/', 0, 'ok', printf('{"big":"%.4000c"}', 'x')
      FROM numbers`);
    database.close();
    await opened.ledger.insertTask(sampleTask({ id: taskId("b00000005"), attempt: 2, startTime: 20_000 }), NOT_DURABLE);
    const rows = opened.ledger.listTasks({ all: true });
    expect(rows).toHaveLength(10_000);
    expect(rows[0]).toMatchObject({ id: "b00000005", attempt: 2, status: "running" });
    expect(rows[1]).toMatchObject({ id: "b00009999", attempt: 1, exit: { code: 0, reason: "ok" } });
    expect(rows.at(-1)?.id).toBe(taskId("b00000000"));
    expect(rows.filter(({ id }) => id === "b00000005")).toHaveLength(1);
    expect(rows[1]).not.toHaveProperty("detail");
    expect(opened.ledger.listTasks({ all: true, limit: 3 })).toEqual(rows.slice(0, 3));
  });

  test("unless all are wanted: what is alive and not in the foreground", async () => {
    using opened = testLedger();
    const tasks = [
      sampleTask({ id: taskId("b00000001"), status: "pending", startTime: 1 }),
      sampleTask({ id: taskId("b00000002"), isBackgrounded: true, startTime: 2 }),
      sampleTask({ id: taskId("b00000003"), isBackgrounded: false, startTime: 3 }),
      sampleTask({ id: taskId("b00000004"), status: "completed", startTime: 4 }),
    ];
    for (const task of tasks) await opened.ledger.insertTask(task, NOT_DURABLE);
    expect(opened.ledger.listTasks({ all: false }).map(({ id }) => id)).toEqual([taskId("b00000002"), taskId("b00000001")]);
  });

  test("the runs whose end is not on record, whatever became of their tasks", async () => {
    using opened = testLedger();
    await opened.ledger.insertRun(sampleRun(), sampleTask({ id: ROOT, status: "pending" }), NOT_DURABLE);
    const other = taskId("a11111111");
    await opened.ledger.insertRun(sampleRun({ runId: "run-2", rootTaskId: other }), sampleTask({ id: other, runId: "run-2" }), NOT_DURABLE);
    expect(opened.ledger.liveRuns().map(({ runId }) => runId)).toEqual(["run-1", "run-2"]);
    await opened.ledger.endTask(ROOT, 1, KILLED, { endTime: 1, durable: false });
    expect(opened.ledger.liveRuns().map(({ runId }) => runId)).toEqual(["run-1", "run-2"]);
    await opened.ledger.endRun("run-1", 2);
    expect(opened.ledger.liveRuns().map(({ runId }) => runId)).toEqual(["run-2"]);
  });

  test("the processes that a run's tasks started", async () => {
    using opened = testLedger();
    await opened.ledger.insertTask(sampleTask(), NOT_DURABLE);
    await opened.ledger.insertTask(sampleTask({ id: taskId("b11111111"), runId: "run-2" }), NOT_DURABLE);
    const [first, second] = [
      { pid: 10, startTime: "1", bootId: "boot" },
      { pid: 11, startTime: "2", bootId: "boot" },
    ];
    await opened.ledger.addProcess(SHELL, 1, first);
    await opened.ledger.addProcess(SHELL, 1, second);
    await opened.ledger.addProcess(SHELL, 1, { ...second, startTime: "3" });
    await opened.ledger.addProcess(taskId("b11111111"), 1, first);
    await opened.ledger.removeProcess(SHELL, 1, 10);
    expect(opened.ledger.processesOf("run-1")).toEqual([{ taskId: SHELL, attempt: 1, pid: 11, startTime: "3", bootId: "boot" }]);
  });
});

describe("removal", () => {
  test("a terminal task goes with all its attempts and all that belongs to them", async () => {
    using opened = testLedger();
    await opened.ledger.insertRun(sampleRun(), sampleTask({ id: ROOT, status: "completed" }), NOT_DURABLE);
    await opened.ledger.insertTask(sampleTask({ id: ROOT, attempt: 2, runId: "run-1" }), NOT_DURABLE);
    await opened.ledger.addProcess(ROOT, 2, { pid: 1, startTime: "1", bootId: "b" });
    const error = await appErrorOf(() => opened.ledger.deleteTask(ROOT));
    expect([error.reason, error.code]).toEqual(["conflict", "not_terminal"]);
    expect(opened.ledger.getTask(ROOT, 1)).toBeDefined();
    await opened.ledger.endTask(ROOT, 2, KILLED, { endTime: 1, notification: notification({ taskId: ROOT, attempt: 2, recipientTaskId: SHELL }), durable: false });
    expect(await opened.ledger.deleteTask(ROOT)).toBe(true);
    expect(await opened.ledger.deleteTask(ROOT)).toBe(false);
    expect(opened.ledger.getTask(ROOT)).toBeUndefined();
    expect(opened.ledger.getRun("run-1")).toBeUndefined();
    expect(opened.ledger.pendingNotifications(SHELL)).toEqual([]);
    expect(opened.ledger.processesOf("run-1")).toEqual([]);
  });

  test("a run stays until the last of its tasks is removed, whichever that is", async () => {
    using opened = testLedger();
    await opened.ledger.insertRun(sampleRun(), sampleTask({ id: ROOT, status: "completed" }), NOT_DURABLE);
    await opened.ledger.insertTask(sampleTask({ status: "completed" }), NOT_DURABLE);
    await opened.ledger.deleteTask(ROOT);
    expect(opened.ledger.getRun("run-1")).toBeDefined();
    await opened.ledger.deleteTask(SHELL);
    expect(opened.ledger.getRun("run-1")).toBeUndefined();
  });
});

describe("opening", () => {
  test("what one process writes another reads", async () => {
    using opened = testLedger();
    const other = openLedger(opened.state.directory);
    await opened.ledger.insertTask(sampleTask(), NOT_DURABLE);
    expect(other.getTask(SHELL)).toEqual(sampleTask());
    await other.endTask(SHELL, 1, KILLED, { endTime: 1, durable: false });
    expect(opened.ledger.getTask(SHELL)?.status).toBe("killed");
    other.close();
  });

  test("while somebody else writes, reads work and writes wait", async () => {
    using opened = testLedger();
    await opened.ledger.insertTask(sampleTask(), NOT_DURABLE);
    const other = new Database(join(opened.state.path, "ledger.db"));
    other.run("BEGIN IMMEDIATE");
    other.run("UPDATE tasks SET description = 'changed'");
    const ending = opened.ledger.endTask(SHELL, 1, KILLED, { endTime: 1, durable: true });
    expect(opened.ledger.getTask(SHELL)).toEqual(sampleTask());
    await Bun.sleep(0);
    other.run("COMMIT");
    expect(await ending).toMatchObject({ status: "killed", description: "changed" });
    other.close();
  });

  test("a lock that is never given back ends in an error that says so", async () => {
    using state = testState();
    let now = 0;
    const ledger = openLedger(state.directory, {
      world: { now: () => now, random: () => 1, sleep: (milliseconds) => Promise.resolve(void (now += milliseconds * 100)) },
    });
    const other = new Database(join(state.path, "ledger.db"));
    other.run("BEGIN IMMEDIATE");
    const error = await appErrorOf(() => ledger.insertTask(sampleTask(), NOT_DURABLE));
    expect([error.reason, error.code]).toEqual(["storage", "SQLITE_BUSY"]);
    expect(error.message).toContain(join(state.path, "ledger.db"));
    other.run("ROLLBACK");
    other.close();
    await ledger.insertTask(sampleTask(), NOT_DURABLE);
    expect(ledger.getTask(SHELL)).toBeDefined();
    ledger.close();
  });

  test("where nothing is to be created, a missing ledger is empty and stays missing", async () => {
    using state = testState();
    const ledger = openLedger(state.directory, { create: false });
    expect(ledger.listTasks({ all: true })).toEqual([]);
    expect(ledger.getTask(SHELL)).toBeUndefined();
    expect(ledger.liveRuns()).toEqual([]);
    expect(ledger.resolveReference("b00000000")).toEqual([]);
    const error = await appErrorOf(() => ledger.insertTask(sampleTask(), NOT_DURABLE));
    expect(error.reason).toBe("storage");
    expect(readdirSync(state.path)).not.toContain("ledger.db");
    ledger.close();
  });

  test("an empty file, left by whoever died while creating it, becomes a ledger", async () => {
    using state = testState();
    writeFileSync(join(state.path, "ledger.db"), "");
    const reader = openLedger(state.directory, { create: false });
    expect(reader.listTasks({ all: true })).toEqual([]);
    reader.close();
    const ledger = openLedger(state.directory);
    await ledger.insertTask(sampleTask(), NOT_DURABLE);
    expect(ledger.getTask(SHELL)).toEqual(sampleTask());
    ledger.close();
  });

  test.each([false, true])("a ledger of a newer major version is refused (create: %p)", async (create) => {
    using state = testState();
    openLedger(state.directory).close();
    const database = new Database(join(state.path, "ledger.db"));
    database.run("PRAGMA user_version = 2000");
    database.close();
    const error = await appErrorOf(() => openLedger(state.directory, { create }));
    expect([error.reason, error.code]).toEqual(["storage", "newer_ledger"]);
    expect(error.message).toContain("newer version of this program");
  });

  test("a ledger of a newer minor version, with a column more, is used as it is", async () => {
    using state = testState();
    openLedger(state.directory).close();
    const database = new Database(join(state.path, "ledger.db"));
    database.run("ALTER TABLE tasks ADD COLUMN extra TEXT; ALTER TABLE runs ADD COLUMN extra TEXT; PRAGMA user_version = 1999");
    database.close();
    const ledger = openLedger(state.directory);
    await ledger.insertRun(sampleRun(), sampleTask({ id: ROOT }), NOT_DURABLE);
    expect(ledger.getTask(ROOT)).toEqual(sampleTask({ id: ROOT }));
    expect(ledger.getRun("run-1")).toEqual(sampleRun());
    ledger.close();
    const after = new Database(join(state.path, "ledger.db"));
    expect(after.query("PRAGMA user_version").get()).toEqual({ user_version: 1999 });
    after.close();
  });

  test("a ledger from before processes were marked is brought up to date; its runs stay as they were", async () => {
    using state = testState();
    const before = openLedger(state.directory);
    await before.insertRun(sampleRun(), sampleTask({ id: ROOT }), NOT_DURABLE);
    before.close();
    const database = new Database(join(state.path, "ledger.db"));
    database.run("DROP INDEX runs_without_end; ALTER TABLE runs DROP COLUMN process_mark; PRAGMA user_version = 1001");
    database.close();
    const ledger = openLedger(state.directory);
    expect(ledger.getRun("run-1")).toEqual(sampleRun());
    const marked = sampleRun({ runId: "run-2", rootTaskId: SHELL, processMark: "2000000000001" });
    await ledger.insertRun(marked, sampleTask({ runId: "run-2" }), NOT_DURABLE);
    expect(ledger.getRun("run-2")).toEqual(marked);
    ledger.close();
  });

  test.each<[string, (path: string, elsewhere: string) => void]>([
    ["a link", (path, elsewhere) => symlinkSync(elsewhere, path)],
    ["a second name of a file", (path, elsewhere) => (writeFileSync(elsewhere, ""), linkSync(elsewhere, path))],
    ["something else", (path) => writeFileSync(path, "this is a text file and no database at all".repeat(100))],
  ])("%s in the place of the ledger is refused", async (_name, plant) => {
    using state = testState();
    plant(join(state.path, "ledger.db"), join(state.path, "elsewhere"));
    const error = await appErrorOf(() => openLedger(state.directory));
    expect(error.reason).toBe("storage");
    expect(error.message).toContain(join(state.path, "ledger.db"));
  });

  test("many processes that create it at once all get the same ledger", async () => {
    using state = testState();
    const ids = Array.from({ length: 6 }, () => generateTaskId("local_bash"));
    const program = `
      import { openStateDirectory } from "${join(import.meta.dir, "../../src/platform/state-directory.ts")}";
      import { openLedger } from "${join(import.meta.dir, "../../src/store/ledger.ts")}";
      import { sampleTask, taskId } from "${join(import.meta.dir, "../support/sample-task.ts")}";
      await openLedger(openStateDirectory({ state: process.argv[1] })).insertTask(sampleTask({ id: taskId(process.argv[2]) }), { durable: true });`;
    const children = ids.map((id) => Bun.spawn([process.execPath, "-e", program, state.path, id], { stderr: "inherit" }));
    expect(await Promise.all(children.map((child) => child.exited))).toEqual(ids.map(() => 0));
    const ledger = openLedger(state.directory, { create: false });
    expect(ledger.listTasks({ all: true }).map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    ledger.close();
  });
});

test("a killed writer leaves a sound ledger that has all it promised, and no status without its notification", async () => {
  using state = testState();
  openLedger(state.directory).close();
  const promised: string[] = [];
  for (let round = 0; round < 5; round++) {
    const writers = [1, 2].map(() =>
      Bun.spawn([process.execPath, join(import.meta.dir, "../fixtures/write-tasks.ts"), state.path], { stdout: "pipe" }),
    );
    await Promise.all(
      writers.map(async (writer) => {
        let said = "";
        for await (const chunk of writer.stdout) {
          said += Buffer.from(chunk).toString();
          if (said.split("\n").length > 20 + round) writer.kill("SIGKILL");
        }
        promised.push(...said.split("\n").slice(0, -1));
        await writer.exited;
      }),
    );
  }
  const ledger = openLedger(state.directory);
  const tasks = ledger.tasksOfRun("run-1");
  const completed = tasks.filter(({ status }) => status === "completed").map(({ id }) => id);
  expect(promised.length).toBeGreaterThan(100);
  expect(new Set(completed).isSupersetOf(new Set(promised))).toBe(true);
  expect(ledger.pendingNotifications(ROOT).map(({ taskId: id }) => id).toSorted()).toEqual(completed.toSorted());
  ledger.close();
  const database = new Database(join(state.path, "ledger.db"));
  expect(database.query("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  database.close();
});

test("a disk without room is a storage error, and the ledger stays sound", async () => {
  using state = testState();
  openLedger(state.directory).close();
  const program = `
    import { openStateDirectory } from "${join(import.meta.dir, "../../src/platform/state-directory.ts")}";
    import { generateTaskId } from "${join(import.meta.dir, "../../src/platform/task-id.ts")}";
    import { openLedger } from "${join(import.meta.dir, "../../src/store/ledger.ts")}";
    import { sampleTask } from "${join(import.meta.dir, "../support/sample-task.ts")}";
    const ledger = openLedger(openStateDirectory({ state: process.argv[1] }));
    try {
      for (;;) await ledger.insertTask(sampleTask({ id: generateTaskId("local_bash"), description: "x".repeat(10_000) }), { durable: true });
    } catch (error) {
      console.log(JSON.stringify({ reason: error.reason, message: error.message, count: ledger.tasksOfRun("run-1").length }));
    }`;
  const child = Bun.spawn(["sh", "-c", 'ulimit -f 600; exec "$@"', "sh", process.execPath, "-e", program, state.path], { stdout: "pipe", stderr: "inherit" });
  const report: { readonly reason: string; readonly message: string; readonly count: number } = JSON.parse(await child.stdout.text());
  expect(report.reason).toBe("storage");
  expect(report.message).toMatch(/the disk (is full|reports an error)/);
  expect(report.count).toBeGreaterThan(5);
  const ledger = openLedger(state.directory);
  expect(ledger.tasksOfRun("run-1")).toHaveLength(report.count);
  ledger.close();
});
