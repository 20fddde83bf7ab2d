import { expect, test } from "bun:test";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { TaskState } from "../../../src/core/task-state.ts";
import { takeNewOwnerLock, type OwnerLock } from "../../../src/store/owner-lock.ts";
import { openSessionDirectory } from "../../../src/store/session-directory.ts";
import { commandState, type CommandState } from "../../support/command-state.ts";
import { startRunOwner } from "../../support/run-owner.ts";
import { sampleRun, sampleTask, taskId } from "../../support/sample-task.ts";
import { waitFor } from "../../support/wait-for.ts";

const STARTED = '{"v":1,"seq":1,"type":"run.started"}\n';
const LOG = '{"v":1,"seq":2,"type":"log","message":"working"}\n';
const RESULT = '{"v":1,"seq":3,"type":"run.result"}\n';

/** Writes to the event log of a task's run. */
function write(state: CommandState, { sessionId, runId }: Pick<TaskState, "sessionId" | "runId">, text: string): void {
  const session = openSessionDirectory(state.directory, sessionId);
  const file = join(session.path, "events", `${runId}.ndjson`);
  appendFileSync(file, text, { mode: 0o600 });
  session.close();
}

/** As long as it is held, the run has a living owner. */
function held(lock: OwnerLock): Disposable {
  return { [Symbol.dispose]: () => lock.release() };
}

function types(stdout: string): string[] {
  return stdout.trimEnd().split("\n").map((line) => (JSON.parse(line) as { type: string }).type);
}

test("a task, its run, its session, its name and the beginning of its id mean the events of its run, exactly as they are stored", async () => {
  using state = commandState();
  const task = await state.add("a00000001", { type: "local_agent", name: "nightly" });
  write(state, task, STARTED + LOG + RESULT);
  for (const text of [task.id, task.runId, task.sessionId, "nightly", "a0000"]) {
    expect(await state.run("events", text)).toEqual({ code: 0, stdout: STARTED + LOG + RESULT, stderr: "" });
  }
});

test("without a task the latest run is meant, and of a task with several attempts the latest one", async () => {
  using state = commandState();
  expect(await state.run("events")).toMatchObject({ code: 7, stdout: "" });
  const first = await state.add("a00000001", { type: "local_agent" });
  write(state, first, LOG);
  const next = sampleTask({ id: first.id, type: "local_agent", attempt: 2, runId: "run-2" });
  await state.ledger.insertRun(sampleRun({ runId: "run-2", createdAt: 2_000 }), next, { durable: false });
  using _alive = held(takeNewOwnerLock(state.directory, "run-2"));
  write(state, next, STARTED);
  expect((await state.run("events")).stdout).toBe(STARTED);
  expect((await state.run("events", first.id)).stdout).toBe(STARTED);
  expect((await state.run("events", first.runId)).stdout).toBe(LOG);
});

test("a reader that comes back with its last number misses nothing and gets nothing twice", async () => {
  using state = commandState();
  const task = await state.add("a00000001", { type: "local_agent" });
  const lines = Array.from({ length: 500 }, (_, index) => `{"v":1,"seq":${index + 1},"type":"log","message":"${"x".repeat(1_000)}"}\n`);
  let read = "";
  for (const end of [100, 101, 350, 500]) {
    const seen = read.split("\n").length - 1;
    write(state, task, lines.slice(seen, end).join(""));
    read += (await state.run("events", "--since", String(seen), task.id)).stdout;
  }
  expect(read).toBe(lines.join(""));
  expect((await state.run("events", "--since", "500", task.id)).stdout).toBe("");
});

test("--types chooses, and a type or a task that there is none of is an error", async () => {
  using state = commandState();
  const task = await state.add("a00000001", { type: "local_agent" });
  write(state, task, STARTED + LOG + RESULT);
  expect((await state.run("events", "--types", "run.started,run.result", task.id)).stdout).toBe(STARTED + RESULT);
  expect(await state.run("events", "--types", "run.resul", task.id)).toMatchObject({ code: 2, stdout: "" });
  expect(await state.run("events", "--since", "-1", task.id)).toMatchObject({ code: 2, stdout: "" });
  expect(await state.run("events", "nope")).toMatchObject({ code: 7, stdout: "" });
});

test("-f goes on until run.result, and prints no line before it is whole", async () => {
  using state = commandState();
  const task = await state.add("a00000001", { type: "local_agent" });
  write(state, task, STARTED + LOG.slice(0, 20));
  const { io, ended } = state.start(["events", "-f", task.id]);
  await waitFor(() => io.stdout.text === STARTED);
  write(state, task, LOG.slice(20));
  await waitFor(() => io.stdout.text === STARTED + LOG);
  write(state, task, RESULT);
  expect(await ended).toEqual({ code: 0, stdout: STARTED + LOG + RESULT, stderr: "" });
});

test("-f ends with run.result also where that is not to be shown", async () => {
  using state = commandState();
  const task = await state.add("a00000001", { type: "local_agent" });
  write(state, task, STARTED + LOG + RESULT);
  expect((await state.run("events", "-f", "--types", "log", task.id)).stdout).toBe(LOG);
});

test("a reader that has gone ends it with 141", async () => {
  using state = commandState();
  const task = await state.add("a00000001", { type: "local_agent" });
  write(state, task, STARTED);
  const { io, ended } = state.start(["events", "-f", task.id]);
  await waitFor(() => io.stdout.text !== "");
  io.stdout.close();
  expect((await ended).code).toBe(141);
});

test("the death of the owner is followed to the result that was written in its place", async () => {
  using state = commandState();
  await using owner = await startRunOwner(state.path);
  const { io, ended } = state.start(["events", "-f", owner.runId]);
  await waitFor(() => io.stdout.text.includes('"seq":2'));
  await owner.kill();
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(types(stdout)).toEqual(["log", "log", "task.started", "task.started", "task.updated", "task.updated", "run.result"]);
  expect(JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({ seq: 7, status: "failed", recovered: true });
});

test.each([[[]], [["-f"]]])("where the owner died after the last entry on record and before run.result, %j completes the log once", async (flags) => {
  using state = commandState();
  const root = sampleTask({ id: taskId("a00000001"), type: "local_agent" });
  await state.ledger.insertRun(sampleRun({ rootTaskId: root.id }), root, { durable: false });
  await state.ledger.insertTask(sampleTask({ id: taskId("b00000002"), parentTaskId: root.id }), { durable: false });
  // The log does not know of the end of the agent.
  const known = ['"task.started","task_id":"a00000001"', '"task.started","task_id":"b00000002"', '"task.updated","task_id":"b00000002","status":"completed"'];
  write(state, root, `${STARTED}${known.map((event, index) => `{"v":1,"seq":${index + 2},"type":${event}}\n`).join("")}{"v":1,"se`);
  await state.end("b00000002", "ok");
  await state.end(root.id, "ok", { detail: { result: "the answer" } });
  const { code, stdout } = await state.run("events", ...flags, root.id);
  expect(code).toBe(0);
  expect(types(stdout)).toEqual(["run.started", "task.started", "task.started", "task.updated", "task.updated", "run.result"]);
  expect(stdout.trimEnd().split("\n").map((line) => JSON.parse(line)).slice(4)).toMatchObject([
    { seq: 5, task_id: root.id, status: "completed" },
    { seq: 6, status: "completed", exit: { code: 0 }, result: "the answer", recovered: true },
  ]);
  expect((await state.run("events", root.id)).stdout).toBe(stdout);
});

test("the log of a living run is left alone", async () => {
  using state = commandState();
  const task = await state.add("a00000001", { type: "local_agent" });
  write(state, task, STARTED);
  await state.end(task.id, "ok");
  expect((await state.run("events", task.id)).stdout).toBe(STARTED);
});
