import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunEventBody } from "../../src/core/stream-event.ts";
import type { TaskState } from "../../src/core/task-state.ts";
import { isTerminalTaskStatus, TASK_ID_PREFIXES, type TaskId } from "../../src/core/task.ts";
import { evictTerminalTask } from "../../src/engine/evict-terminal-task.ts";
import { reapDeadRuns } from "../../src/engine/reap.ts";
import { openLedger } from "../../src/store/ledger.ts";
import { taskId } from "../support/sample-task.ts";
import { ROOT } from "../support/source-tree.ts";
import { recordedState, stateFaults } from "../support/state-faults.ts";
import { testState } from "../support/test-state.ts";
import { appErrorOf } from "../support/thrown.ts";
import { waitFor } from "../support/wait-for.ts";
import type { TaskKindFixture } from "./task-kind-fixture.ts";

/** What holds for a task of every kind, from its start to its eviction, and after the death of its run. */
export function testTaskKind(fixture: TaskKindFixture): void {
  const { kind } = fixture;

  describe(`the contract of a task kind: ${kind.type}`, () => {
    test("a started task is on record before anybody hears of it", async () => {
      await using run = await openRun(fixture);
      const id = await run.world.start("endless");
      expect(id.startsWith(TASK_ID_PREFIXES[kind.type])).toBe(true);
      expect(run.record(id)).toMatchObject({ id, type: kind.type, status: "running", attempt: 1, notified: false, isBackgrounded: true });
      expect(run.record(id).parentTaskId).toBe(run.world.parent);
      expect(run.events(id, "task.started")).toMatchObject([{ task_type: kind.type, status: "running" }]);
      await run.world.stop(id);
    });

    test("the detail of its record is what its schema describes, from start to end", async () => {
      await using run = await openRun(fixture);
      const id = await run.world.start("succeeding");
      kind.detailSchema().parse(run.record(id).detail);
      kind.detailSchema().parse((await run.ended(id)).detail);
    });

    test("output stands in its file while it runs and after its end", async () => {
      await using run = await openRun(fixture);
      const id = await run.world.start("endless");
      await waitFor(() => run.output(id).includes("conformance"));
      await run.world.stop(id);
      expect(run.output(id)).toContain("conformance");
    });

    test("success is completed with exit 0, notified once", async () => {
      await using run = await openRun(fixture);
      const id = await run.world.start("succeeding");
      expect(await run.ended(id)).toMatchObject({ status: "completed", exit: { code: 0, reason: "ok" } });
      expect(run.events(id, "task.updated")).toMatchObject([{ status: "completed" }]);
      expect(run.notices(id)).toEqual(run.world.parent === undefined ? [] : [1]);
    });

    test("failure is failed with a reason and an error, notified once", async () => {
      await using run = await openRun(fixture);
      const id = await run.world.start("failing");
      const task = await run.ended(id);
      expect([task.status, task.error]).toEqual(["failed", expect.any(String)]);
      expect(task.exit?.code).not.toBe(0);
      expect(run.events(id, "task.updated")).toMatchObject([{ status: "failed" }]);
      expect(run.notices(id)).toEqual(run.world.parent === undefined ? [] : [1]);
    });

    test("a stopped task is killed, and whoever asked for it is spared the notice", async () => {
      await using run = await openRun(fixture);
      const id = await run.world.start("endless");
      await run.world.stop(id);
      expect(run.record(id)).toMatchObject({ status: "killed", exit: { code: 137, reason: "killed" }, notified: true });
      expect(run.events(id, "task.updated")).toMatchObject([{ status: "killed" }]);
      expect(run.notices(id)).toEqual([]);
      expect(run.world.host.getAppState().effects.has(id)).toBe(false);
    });

    test("a terminal task cannot be stopped, and keeps its status", async () => {
      await using run = await openRun(fixture);
      const id = await run.world.start("succeeding");
      await run.ended(id);
      expect(await appErrorOf(() => run.world.stop(id))).toMatchObject({ reason: "conflict", code: "not_running" });
      expect(run.record(id).status).toBe("completed");
    });

    test("a task stays in memory while it runs; afterwards its record and its output are what remains", async () => {
      await using run = await openRun(fixture);
      const id = await run.world.start("endless");
      const { host } = run.world;
      evictTerminalTask(id, host.setAppState, Date.now());
      expect(host.getAppState().tasks[id]?.status).toBe("running");
      await waitFor(() => run.output(id).includes("conformance"));
      await run.world.stop(id);
      evictTerminalTask(id, host.setAppState, Date.now());
      expect(host.getAppState().tasks[id]).toBeUndefined();
      expect(run.record(id).status).toBe("killed");
      expect(run.output(id)).toContain("conformance");
    });

    test("a task whose run is killed is failed with owner_lost, leaves no process, and is notified once", async () => {
      using state = testState();
      const id = await startAndKillOwner(kind.type, state.path);
      const ledger = openLedger(state.directory);
      await reapDeadRuns({ state: state.directory, ledger, now: Date.now });
      const { status, exit, parentTaskId } = ledger.getTask(id) ?? {};
      expect([status, exit]).toEqual(["failed", { code: 1, reason: "owner_lost" }]);
      const due = parentTaskId === undefined ? [id] : ledger.pendingNotifications(parentTaskId).map((notice) => notice.taskId);
      expect(due).toEqual([id]);
      ledger.close();
      expect(stateFaults(state.path, recordedState(state.path))).toEqual([]);
    });

    test("a task that has ended goes on as its next attempt, or is refused", async () => {
      await using run = await openRun(fixture);
      const id = await run.world.start("succeeding");
      await run.ended(id);
      expect(await run.world.resume(id).catch((error: unknown) => error)).toMatchObject(fixture.afterResume);
      expect(run.record(id, 1).status).toBe("completed");
    });
  });
}

/** A run of a fixture in a state folder of its own, and its tasks as any other process sees them. */
async function openRun(fixture: TaskKindFixture) {
  const state = testState();
  const world = await fixture.open(state.path);
  const ledger = openLedger(state.directory);

  function record(id: TaskId, attempt?: number): TaskState {
    const task = ledger.getTask(id, attempt);
    if (task === undefined) throw new Error(`Task "${id}" is not on record`);
    return task;
  }

  return {
    world,
    record,
    ended: (id: TaskId) => waitFor(() => isTerminalTaskStatus(record(id).status) && record(id)),
    output: (id: TaskId) => readFileSync(record(id).outputFile, "utf8"),
    events: (id: TaskId, type: RunEventBody["type"]) => world.events.filter((event) => event.type === type && event.task_id === id),
    /** The attempts whose end somebody is still to be told of. */
    notices: (id: TaskId) => (world.parent === undefined ? [] : ledger.pendingNotifications(world.parent)).flatMap((notice) => (notice.taskId === id ? [notice.attempt] : [])),
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      ledger.close();
      state[Symbol.dispose]();
    },
  };
}

/** Has another process start an endless piece of work, and kills that process. */
async function startAndKillOwner(type: string, statePath: string): Promise<TaskId> {
  const owner = Bun.spawn([process.execPath, join(ROOT, "test", "fixtures", "own-task.ts"), type, statePath], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  const line = new TextDecoder().decode((await owner.stdout.getReader().read()).value);
  owner.kill("SIGKILL");
  await owner.exited;
  return taskId(line.trim());
}
