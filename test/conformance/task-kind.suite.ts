import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import type { TaskState } from "../../src/core/task-state.ts";
import { isTerminalTaskStatus, TASK_ID_PREFIXES, type TaskId } from "../../src/core/task.ts";
import { evictTerminalTask } from "../../src/engine/evict-terminal-task.ts";
import { stopTask } from "../../src/engine/stop-task.ts";
import type { TaskKind } from "../../src/tasks/task-kind.ts";
import { taskId } from "../support/sample-task.ts";
import { type TestTaskHost, testTaskHost } from "../support/test-task-host.ts";
import { appErrorOf } from "../support/thrown.ts";
import { waitFor } from "../support/wait-for.ts";

/** What a kind of task brings along to be tested: three pieces of its work, started in the background. */
export interface TaskKindFixture {
  readonly kind: TaskKind;
  /** Writes "conformance" to its output and ends well. */
  startSucceeding(host: TestTaskHost, parentTaskId: TaskId): Promise<TaskId>;
  /** Ends badly by itself. */
  startFailing(host: TestTaskHost, parentTaskId: TaskId): Promise<TaskId>;
  /** Writes "conformance" to its output and goes on until it is stopped. */
  startEndless(host: TestTaskHost, parentTaskId: TaskId): Promise<TaskId>;
}

const PARENT = taskId("a00000001");

/** What holds for a task of every kind, from its start to its eviction. */
export function testTaskKind({ kind, ...fixture }: TaskKindFixture): void {
  describe(`the contract of a task kind: ${kind.type}`, () => {
    test("a started task is on record before anybody hears of it", async () => {
      using host = testTaskHost();
      const id = await fixture.startEndless(host, PARENT);
      expect(id.startsWith(TASK_ID_PREFIXES[kind.type])).toBe(true);
      expect(host.ledger.getTask(id)).toMatchObject({ id, type: kind.type, status: "running", attempt: 1, notified: false, parentTaskId: PARENT });
      expect(host.events.filter((event) => event.type === "task.started")).toMatchObject([{ task_id: id, task_type: kind.type, status: "running" }]);
      await stop(id, host);
    });

    test("the detail of its record is what its schema describes, from start to end", async () => {
      using host = testTaskHost();
      const id = await fixture.startSucceeding(host, PARENT);
      kind.detailSchema().parse(host.ledger.getTask(id)?.detail);
      kind.detailSchema().parse((await terminal(id, host)).detail);
    });

    test("output stands in its file while it runs and after its end", async () => {
      using host = testTaskHost();
      const id = await fixture.startEndless(host, PARENT);
      const { outputFile } = inMemory(id, host);
      await waitFor(() => readFileSync(outputFile, "utf8").includes("conformance"));
      await stop(id, host);
      expect(readFileSync(outputFile, "utf8")).toContain("conformance");
    });

    test("success is completed with exit 0, notified once", async () => {
      using host = testTaskHost();
      const id = await fixture.startSucceeding(host, PARENT);
      expect(await terminal(id, host)).toMatchObject({ status: "completed", exit: { code: 0, reason: "ok" } });
      expectOneEnding(id, host);
      expect(host.ledger.pendingNotifications(PARENT)).toMatchObject([{ taskId: id, attempt: 1 }]);
    });

    test("failure is failed with a reason and an error, notified once", async () => {
      using host = testTaskHost();
      const id = await fixture.startFailing(host, PARENT);
      const task = await terminal(id, host);
      expect(task.status).toBe("failed");
      expect(task.exit?.code).not.toBe(0);
      expect(task.error).toBeString();
      expectOneEnding(id, host);
      expect(host.ledger.pendingNotifications(PARENT)).toMatchObject([{ taskId: id, attempt: 1 }]);
    });

    test("kill needs no more than the state, ends the effect and writes no status (S-010)", async () => {
      using host = testTaskHost();
      const id = await fixture.startEndless(host, PARENT);
      await kind.kill(id, host.setAppState);
      expect(host.ledger.getTask(id)?.status).toBe("running");
      // Nothing is left to be ended: the second time is at once.
      await stop(id, host);
      expect(host.ledger.getTask(id)?.status).toBe("killed");
    });

    test("a stopped task is killed, and whoever asked for it is spared the notice", async () => {
      using host = testTaskHost();
      const id = await fixture.startEndless(host, PARENT);
      expect(await stop(id, host)).toMatchObject({ status: "killed", exit: { code: 137, reason: "killed" }, notified: true });
      expectOneEnding(id, host);
      expect(host.ledger.pendingNotifications(PARENT)).toEqual([]);
      expect(host.getAppState().effects[id]).toBeUndefined();
    });

    test("a terminal task cannot be stopped, and keeps its status", async () => {
      using host = testTaskHost();
      const id = await fixture.startSucceeding(host, PARENT);
      await terminal(id, host);
      expect(await appErrorOf(() => stop(id, host))).toMatchObject({ reason: "conflict", code: "not_running" });
      expect(host.ledger.getTask(id)?.status).toBe("completed");
    });

    test("a terminal task leaves memory, its record and output stay", async () => {
      using host = testTaskHost();
      const id = await fixture.startEndless(host, PARENT);
      evictTerminalTask(id, host.setAppState, host.now());
      const { outputFile } = inMemory(id, host);
      await waitFor(() => readFileSync(outputFile, "utf8").includes("conformance"));
      await stop(id, host);
      evictTerminalTask(id, host.setAppState, host.now() + 3_600_000);
      expect(host.getAppState().tasks).toEqual({});
      expect(host.ledger.getTask(id)?.status).toBe("killed");
      expect(readFileSync(outputFile, "utf8")).toContain("conformance");
    });
  });

  const stop = (id: TaskId, host: TestTaskHost) => stopTask(id, host, { findKind: () => Promise.resolve(kind), isSilent: true });
}

function inMemory(id: TaskId, host: TestTaskHost): TaskState {
  const task = host.getAppState().tasks[id];
  if (task === undefined) throw new Error(`Task "${id}" is not in memory`);
  return task;
}

function terminal(id: TaskId, host: TestTaskHost): Promise<TaskState> {
  return waitFor(() => {
    const task = inMemory(id, host);
    return isTerminalTaskStatus(task.status) && task;
  });
}

function expectOneEnding(id: TaskId, host: TestTaskHost): void {
  const endings = host.events.filter((event) => event.type === "task.updated" && event.task_id === id);
  expect(endings).toHaveLength(1);
  expect(endings[0]).toMatchObject({ status: host.ledger.getTask(id)?.status ?? "none" });
}
