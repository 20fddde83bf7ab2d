import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { treeSize } from "../../../src/platform/tree-size.ts";
import { takeNewOwnerLock } from "../../../src/store/owner-lock.ts";
import { openTaskOutputs } from "../../../src/store/task-output.ts";
import { commandState } from "../../support/command-state.ts";
import { startRunOwner } from "../../support/run-owner.ts";
import { sampleTask, taskId } from "../../support/sample-task.ts";

type State = ReturnType<typeof commandState>;

async function gc(state: State, ...args: readonly string[]) {
  const { code, stdout, stderr } = await state.run("gc", "--json", ...args);
  return { code, stderr, report: JSON.parse(stdout) as { dry_run: boolean; tasks: string[]; sessions: string[]; files: string[]; bytes: number; kept: string[] } };
}

/** An ended task in a session and a run of its own. */
async function ended(state: State, id: string, endTime: number, options: { readonly notified?: boolean; readonly parent?: string } = {}): Promise<void> {
  const of = options.parent ?? id;
  await state.add(id, { runId: `run-${of}`, sessionId: `session-${of}`, startTime: 1, ...(options.parent === undefined ? {} : { parentTaskId: taskId(options.parent) }) });
  const notification = { notificationId: `n-${id}`, taskId: taskId(id), attempt: 1, recipientTaskId: taskId(options.parent ?? "a00000000") };
  await state.ledger.endTask(
    taskId(id),
    1,
    { status: "completed", exit: { code: 0, reason: "ok" } },
    { endTime, durable: false, ...(options.notified === false ? { notification } : {}) },
  );
  if (options.parent === undefined) await state.ledger.endRun(`run-${id}`, endTime);
}

function old(path: string): string {
  const time = (Date.now() - 2 * 3_600_000) / 1_000;
  utimesSync(path, time, time);
  return path;
}

const DAY_MS = 86_400_000;

describe("agent gc", () => {
  test("removes tasks that ended 30 days ago with their outputs, sessions and locks, and keeps the others", async () => {
    using state = commandState();
    await ended(state, "b00000001", Date.now() - 31 * DAY_MS);
    await ended(state, "b00000002", Date.now() - 29 * DAY_MS);
    const writer = openTaskOutputs(state.directory, { bytesMax: 100 }).create(taskId("b00000001"));
    for (let line = 0; line < 100; line++) writer.write(Buffer.from("a line of output\n"));
    writer.close();
    state.output("b00000002", "kept");
    mkdirSync(join(state.path, "sessions", "session-b00000001"));
    writeFileSync(join(state.path, "sessions", "session-b00000001", "transcript.jsonl"), "x".repeat(1_000));
    expect(readdirSync(join(state.path, "tasks")).length).toBeGreaterThan(4);

    const { code, report, stderr } = await gc(state);
    expect([code, stderr, report.tasks, report.sessions, report.files]).toEqual([0, "", ["b00000001"], ["session-b00000001"], []]);
    expect(report.bytes).toBeGreaterThan(1_000);
    expect(state.ledger.listTasks({ all: true }).map(({ id }) => String(id))).toEqual(["b00000002"]);
    expect(readdirSync(join(state.path, "tasks"))).toEqual(["b00000002.output"]);
    expect(readdirSync(join(state.path, "owners"))).toEqual(["run-b00000002.lock"]);
    expect(readdirSync(join(state.path, "sessions"))).toEqual([]);
  });

  test("says what it removed, in numbers and bytes; a dry run removes nothing and says the same", async () => {
    using state = commandState();
    for (const id of ["b00000001", "b00000002"]) {
      await ended(state, id, 1_000);
      state.output(id, "x".repeat(1_024));
    }
    expect(await state.run("gc", "--dry-run")).toEqual({ code: 0, stdout: "Would remove 2 tasks, 2 sessions: 2 KiB\n", stderr: "" });
    expect(state.ledger.listTasks({ all: true })).toHaveLength(2);
    expect(await state.run("gc")).toEqual({ code: 0, stdout: "Removed 2 tasks, 2 sessions: 2 KiB\n", stderr: "" });
    expect(state.ledger.listTasks({ all: true })).toEqual([]);
    expect(await state.run("gc")).toEqual({ code: 0, stdout: "Nothing was removed\n", stderr: "" });
  });

  test("where nothing was ever recorded there is nothing to do", async () => {
    using state = commandState();
    const empty = join(state.path, "..", "elsewhere");
    const { ended: done } = state.start(["gc"], { env: { AGENT_STATE_DIR: empty } });
    expect(await done).toEqual({ code: 0, stdout: "Nothing was removed\n", stderr: "" });
    expect(existsSync(empty)).toBe(false);
  });

  test("--older is an age, --max-size a limit for which the oldest go first", async () => {
    using state = commandState();
    for (const [index, id] of ["b00000001", "b00000002", "b00000003"].entries()) {
      await ended(state, id, Date.now() - (3 - index) * DAY_MS);
      state.output(id, "x".repeat(1_000_000));
    }
    expect((await gc(state, "--older", "4d")).report.tasks).toEqual([]);
    expect((await gc(state, "--older", "60h", "--dry-run")).report.tasks).toEqual(["b00000001"]);
    expect((await gc(state, "--max-size", String(treeSize(state.path) - 500_000))).report.tasks).toEqual(["b00000001"]);
    expect((await gc(state, "--older", "0s")).report.tasks).toEqual(["b00000002", "b00000003"]);
    for (const args of [["--older", "soon"], ["--max-size", "0"]]) expect((await state.run("gc", ...args)).code).toBe(2);
  });

  test("never removes what runs, however old, nor what its run has ended before", async () => {
    using state = commandState();
    await using owner = await startRunOwner(state.path);
    await state.ledger.insertTask(sampleTask({ id: taskId("b00000007"), runId: owner.runId, sessionId: owner.sessionId }), { durable: false });
    await state.end("b00000007", "ok");
    expect((await gc(state, "--older", "0s", "--max-size", "1")).report).toMatchObject({ tasks: [], sessions: [], files: [] });
    expect(state.ledger.listTasks({ all: true })).toHaveLength(3);
    expect(existsSync(join(state.path, "sessions", owner.sessionId))).toBe(true);
  });

  test("never removes a task whose end somebody has still to hear of, nor whoever has to, nor who has a message waiting", async () => {
    using state = commandState();
    await ended(state, "a00000001", 1_000);
    await ended(state, "b00000002", 1_000, { parent: "a00000001", notified: false });
    await ended(state, "a00000003", 1_000);
    await state.ledger.insertMessage({ messageId: "m-1", taskId: taskId("a00000003"), text: "are you there?", sentAt: 1 });
    await ended(state, "a00000004", 1_000);
    expect((await gc(state, "--older", "0s", "--max-size", "1")).report.tasks).toEqual(["a00000004"]);
  });

  test("what cannot be looked at stays, and is named", async () => {
    using state = commandState();
    await ended(state, "b00000001", 1_000);
    await ended(state, "b00000002", 1_000);
    // A lock that is none of ours: nobody knows whether its run lives.
    mkdirSync(join(state.path, "sessions", "session-b00000001", "events"), { recursive: true });
    writeFileSync(join(state.path, "sessions", "session-b00000001", "events", "run-x.ndjson"), "");
    symlinkSync("/etc/passwd", join(state.path, "owners", "run-x.lock"));
    const time = (Date.now() - 2 * 3_600_000) / 1_000;
    Bun.spawnSync(["touch", "-h", "-d", `@${time}`, join(state.path, "owners", "run-x.lock")]);
    const { report, stderr } = await gc(state);
    expect(report.tasks).toEqual(["b00000002"]);
    expect(report.kept.join("\n")).toContain('Task "b00000001" stays: it cannot be looked at');
    expect(report.kept.join("\n")).toContain('"owners/run-x.lock" stays: it cannot be looked at');
    expect(stderr).toContain('agent: Task "b00000001" stays');
    expect(existsSync(join(state.path, "sessions", "session-b00000001"))).toBe(true);
  });

  test("what crashes left goes when it is an hour old: outputs, segments, sessions and locks that no record names", async () => {
    using state = commandState();
    await state.add("b00000001");
    const [tasks, sessions, owners] = ["tasks", "sessions", "owners"].map((name) => join(state.path, name)) as [string, string, string];
    for (const name of ["bzzzzzzzz.output", "bzzzzzzzz.output.4096", "byyyyyyyy.output.0"]) {
      writeFileSync(join(tasks, name), "x");
      old(join(tasks, name));
    }
    writeFileSync(join(tasks, "bxxxxxxxx.output"), "young");
    writeFileSync(join(tasks, "notes.txt"), "not ours");
    old(join(tasks, "notes.txt"));
    mkdirSync(join(sessions, "lost", "events"), { recursive: true });
    old(join(sessions, "lost"));
    mkdirSync(join(sessions, "young"));
    takeNewOwnerLock(state.directory, "run-lost").release();
    old(join(owners, "run-lost.lock"));
    takeNewOwnerLock(state.directory, "run-young").release();
    const held = takeNewOwnerLock(state.directory, "run-held");
    old(join(owners, "run-held.lock"));

    const { report } = await gc(state);
    expect(report.tasks).toEqual([]);
    expect(report.sessions).toEqual(["lost"]);
    expect(report.files.toSorted()).toEqual(["owners/run-lost.lock", "tasks/byyyyyyyy.output.0", "tasks/bzzzzzzzz.output", "tasks/bzzzzzzzz.output.4096"]);
    expect(readdirSync(tasks).toSorted()).toEqual(["bxxxxxxxx.output", "notes.txt"]);
    expect(readdirSync(sessions)).toEqual(["young"]);
    expect(readdirSync(owners).toSorted()).toEqual(["run-1.lock", "run-held.lock", "run-young.lock"]);
    held.release();
  });

  test("a session that no record names stays while the owner of one of its runs lives", async () => {
    using state = commandState();
    await state.add("b00000001");
    const session = join(state.path, "sessions", "starting");
    mkdirSync(join(session, "events"), { recursive: true });
    writeFileSync(join(session, "events", "run-starting.ndjson"), "");
    const held = takeNewOwnerLock(state.directory, "run-starting");
    old(join(state.path, "owners", "run-starting.lock"));
    old(session);
    expect((await gc(state)).report.sessions).toEqual([]);
    held.release();
    expect((await gc(state)).report).toMatchObject({ sessions: ["starting"], files: ["owners/run-starting.lock"] });
  });

  test("old logs of runs go although their session stays", async () => {
    using state = commandState();
    await ended(state, "a00000001", Date.now() - DAY_MS);
    const session = join(state.path, "sessions", "session-a00000001");
    mkdirSync(join(session, "events"), { recursive: true });
    for (const name of ["run-a00000001.log", "events/run-a00000001.ndjson", "transcript.jsonl", "events/run-gone.ndjson", "run-gone.log"]) {
      writeFileSync(join(session, name), "x");
      old(join(session, name));
    }
    old(session);
    expect((await gc(state)).report.files).toEqual([]);
    const { report } = await gc(state, "--older", "90m", "--dry-run");
    expect(report.tasks).toEqual(["a00000001"]);
    await state.ledger.insertMessage({ messageId: "m-1", taskId: taskId("a00000001"), text: "stay", sentAt: 1 });
    expect((await gc(state, "--older", "90m")).report.files.toSorted()).toEqual([
      "sessions/session-a00000001/events/run-gone.ndjson",
      "sessions/session-a00000001/run-a00000001.log",
      "sessions/session-a00000001/run-gone.log",
    ]);
    expect(readdirSync(session, { recursive: true }).map(String).toSorted()).toEqual(["events", "events/run-a00000001.ndjson", "transcript.jsonl"]);
  });

  test("several at once remove everything once", async () => {
    using state = commandState();
    for (let index = 1; index <= 20; index++) await ended(state, `b000000${String(index).padStart(2, "0")}`, 1_000);
    const reports = await Promise.all(Array.from({ length: 4 }, () => gc(state)));
    expect(reports.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(reports.flatMap(({ report }) => report.tasks).toSorted()).toHaveLength(20);
    expect(new Set(reports.flatMap(({ report }) => report.tasks)).size).toBe(20);
  });
});

describe("agent doctor", () => {
  test("warns of a state folder of more than 2 GiB, and says what to do", async () => {
    using state = commandState();
    const file = join(state.path, "tasks", "bzzzzzzzz.output");
    writeFileSync(file, "");
    chmodSync(file, 0o600);
    truncateSync(file, 2 * 1_024 ** 3);
    const { checks } = JSON.parse((await state.run("doctor", "--json")).stdout) as { checks: { name: string; status: string; advice: string | null }[] };
    expect(checks.find(({ name }) => name === "state size")).toMatchObject({ status: "warn", advice: expect.stringContaining("agent gc") });
  });
});
