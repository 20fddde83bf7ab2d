import { describe, expect, test } from "bun:test";
import { AppError } from "../../src/core/errors.ts";
import { exitFor } from "../../src/core/exit-code.ts";
import type { TaskMirror } from "../../src/core/task-state.ts";
import { TASK_TYPES } from "../../src/core/task.ts";
import { endTask } from "../../src/engine/end-task.ts";
import { evictTerminalTask } from "../../src/engine/evict-terminal-task.ts";
import { registerTask } from "../../src/engine/register-task.ts";
import { rememberEffect, stopEffect } from "../../src/engine/running-effect.ts";
import { stopTask } from "../../src/engine/stop-task.ts";
import { updateTaskState } from "../../src/engine/update-task-state.ts";
import { loadTaskKind } from "../../src/tasks/registry.ts";
import { sampleTask, taskId } from "../support/sample-task.ts";
import { testTaskHost, type TestTaskHost } from "../support/test-task-host.ts";
import { appErrorOf } from "../support/thrown.ts";

const VIEWED: TaskMirror = { retain: true, messages: [], isLoadedFromDisk: true, pendingMessages: ["waiting"] };

describe("registering a task", () => {
  test("puts it on record, then in memory, then on the stream", async () => {
    using host = testTaskHost();
    const task = sampleTask();
    await registerTask(task, host, { durable: true });
    expect(host.ledger.getTask(task.id)).toMatchObject({ id: task.id, status: "running" });
    expect(host.getAppState().tasks[task.id]).toEqual(task);
    expect(host.events).toMatchObject([{ type: "task.started", task_id: task.id, status: "running" }]);
  });

  test("that is on record already changes nothing", async () => {
    using host = testTaskHost();
    await registerTask(sampleTask(), host, { durable: true });
    const error = await appErrorOf(() => registerTask(sampleTask({ description: "other" }), host, { durable: true }));
    expect(error.reason).toBe("conflict");
    expect(host.getAppState().tasks["b00000000"]?.description).toBe("make");
    expect(host.events).toHaveLength(1);
  });

  test("again keeps what a viewer holds, and what of a shell nobody looks at is replaced (S-124, S-125)", async () => {
    using host = testTaskHost();
    const viewed = sampleTask({ id: taskId("a11111111"), type: "local_agent", startTime: 1, mirror: VIEWED });
    await registerTask(viewed, host, { durable: false });
    await registerTask({ ...sampleTask({ id: viewed.id, type: "local_agent", startTime: 9, attempt: 2 }) }, host, { durable: false });
    expect(host.getAppState().tasks[viewed.id]).toMatchObject({ attempt: 2, startTime: 1, mirror: VIEWED });

    await registerTask(sampleTask({ startTime: 1 }), host, { durable: false });
    await registerTask(sampleTask({ startTime: 9, attempt: 2 }), host, { durable: false });
    expect(host.getAppState().tasks["b00000000"]).toMatchObject({ attempt: 2, startTime: 9 });
  });

  test("a later attempt is announced as resumed, not as started (S-126)", async () => {
    using host = testTaskHost();
    await registerTask(sampleTask({ attempt: 2 }), host, { durable: false });
    expect(host.events).toMatchObject([{ type: "task.resumed", attempt: 2 }]);
  });
});

test("an update that changes nothing replaces nothing, and one for a task that is not there does nothing (S-127)", async () => {
  using host = testTaskHost();
  await registerTask(sampleTask(), host, { durable: false });
  const before = host.getAppState();
  updateTaskState(taskId("b00000000"), host.setAppState, (task) => task);
  updateTaskState(taskId("b99999999"), host.setAppState, (task) => ({ ...task, description: "x" }));
  expect(host.getAppState()).toBe(before);
  updateTaskState(taskId("b00000000"), host.setAppState, (task) => ({ ...task, description: "x" }));
  expect(host.getAppState().tasks["b00000000"]?.description).toBe("x");
});

describe("an ended task leaves the memory (S-128, S-129)", () => {
  const ended = { status: "completed" as const, endTime: 0 };
  test.each([
    ["not while it runs", { status: "running" as const, notified: true }, 1e9, true],
    ["not before it was announced", { ...ended, notified: false }, 1e9, true],
    ["at once when it was announced and nobody looked at it", { ...ended, notified: true }, 0, false],
    ["not while somebody looks at it", { ...ended, notified: true, mirror: VIEWED }, 1e15, true],
    ["not before the grace after a look is over", { ...ended, notified: true, mirror: { ...VIEWED, evictAfter: 30_000 } }, 29_900, true],
    ["when the grace after a look is over", { ...ended, notified: true, mirror: { ...VIEWED, evictAfter: 30_000 } }, 30_100, false],
  ])("%s", (_when, changes, now, stays) => {
    const task = sampleTask(changes);
    let state = { tasks: { [task.id]: task }, effects: new Map() };
    evictTerminalTask(task.id, (update) => void (state = update(state) as typeof state), now);
    expect(task.id in state.tasks).toBe(stays);
  });
});

test("an ended task stays in memory while something that it started runs, and goes with the last of that", async () => {
  using host = testTaskHost();
  const [parent, child] = [taskId("a11111111"), taskId("b11111111")];
  await registerTask(sampleTask({ id: parent, type: "local_agent", parentTaskId: taskId("a99999999"), isBackgrounded: true }), host, { durable: false });
  await registerTask(sampleTask({ id: child, parentTaskId: parent, isBackgrounded: true }), host, { durable: false });
  await endTask(parent, { status: "completed", exit: exitFor("ok") }, host, { isSilent: true });
  expect(Object.keys(host.getAppState().tasks)).toEqual([parent, child]);
  await endTask(child, { status: "completed", exit: exitFor("ok") }, host, { isSilent: true });
  expect(host.getAppState().tasks).toEqual({});
});

describe("stopping a task", () => {
  const found = { findKind: loadTaskKind, isSilent: false };

  test("is refused in this order: not there, not running, of a kind that this build lacks (S-132)", async () => {
    using host = testTaskHost();
    const task = sampleTask({ type: "dream", id: taskId("d00000000") });
    const stop = () => appErrorOf(() => stopTask(task.id, host, { ...found, findKind: async () => undefined }));
    expect((await stop()).reason).toBe("not_found");
    await registerTask(task, host, { durable: false });
    expect((await stop()).code).toBe("unsupported_type");
    await endTask(task.id, { status: "completed", exit: exitFor("ok") }, host, { isSilent: true });
    expect((await stop()).code).toBe("not_running");
  });

  test.each([...TASK_TYPES])("ends the effect of a %s and writes the status itself (S-010)", async (type) => {
    using host = testTaskHost();
    const task = sampleTask({ type, parentTaskId: taskId("a99999999"), isBackgrounded: true });
    let stops = 0;
    await registerTask(task, host, { durable: false });
    rememberEffect(task.id, { stop: async () => void stops++ }, host.setAppState);
    const stopped = await stopTask(task.id, host, found);
    expect([stops, stopped.status, stopped.exit?.code]).toEqual([1, "killed", 137]);
    expect(host.getAppState().effects.size).toBe(0);
    expect(host.ledger.pendingNotifications(taskId("a99999999"))).toHaveLength(1);
  });

  test("by its own parent is not announced to it", async () => {
    using host = testTaskHost();
    await registerTask(sampleTask({ parentTaskId: taskId("a99999999") }), host, { durable: false });
    const stopped = await stopTask(taskId("b00000000"), host, { ...found, isSilent: true });
    expect(stopped.notified).toBe(true);
    expect(host.ledger.pendingNotifications(taskId("a99999999"))).toEqual([]);
  });

  test("with nothing left to end is no failure", async () => {
    using host = testTaskHost();
    await stopEffect(taskId("b00000000"), host.setAppState);
    expect(host.getAppState().effects.size).toBe(0);
  });
});

test("of many who end a task at once one wins: one status, one notice, one event (S-111)", async () => {
  using host = testTaskHost();
  for (let round = 0; round < 200; round++) {
    const id = taskId(`b${String(round).padStart(8, "0")}`);
    await registerTask(sampleTask({ id, parentTaskId: taskId("a99999999"), isBackgrounded: true }), host, { durable: false });
    const endings = [
      endTask(id, { status: "completed", exit: exitFor("ok") }, host, { isSilent: false }),
      endTask(id, { status: "failed", exit: exitFor("failed"), error: "Exit code 1" }, host, { isSilent: false }),
      stopTask(id, host, { findKind: loadTaskKind, isSilent: false }).catch((error: unknown) => (error instanceof AppError ? undefined : Promise.reject(error))),
    ];
    await Promise.all(endings);
  }
  const notices = host.ledger.pendingNotifications(taskId("a99999999"));
  expect(new Set(notices.map((notice) => notice.taskId)).size).toBe(200);
  expect(notices).toHaveLength(200);
  expect(host.events.filter((event) => event.type === "task.updated")).toHaveLength(200);
});

describe("a notice whose recipient has ended", () => {
  const TOP = taskId("a00000001");
  const MIDDLE = taskId("a00000002");
  const end = (id: ReturnType<typeof taskId>, host: TestTaskHost) => endTask(id, { status: "completed", exit: exitFor("ok") }, host, { isSilent: false });
  async function family(host: TestTaskHost): Promise<void> {
    await registerTask(sampleTask({ id: TOP, type: "local_agent" }), host, { durable: false });
    await registerTask(sampleTask({ id: MIDDLE, type: "local_agent", parentTaskId: TOP }), host, { durable: false });
    await registerTask(sampleTask({ parentTaskId: MIDDLE, isBackgrounded: true }), host, { durable: false });
  }

  test("goes to its nearest living ancestor", async () => {
    using host = testTaskHost();
    await family(host);
    await end(MIDDLE, host);
    await end(taskId("b00000000"), host);
    expect(host.ledger.pendingNotifications(TOP).map((notice) => notice.taskId)).toEqual([MIDDLE, taskId("b00000000")]);
  });

  test("goes there also when it was due before", async () => {
    using host = testTaskHost();
    await family(host);
    await end(taskId("b00000000"), host);
    await end(MIDDLE, host);
    expect(host.ledger.pendingNotifications(MIDDLE)).toEqual([]);
    expect(host.ledger.pendingNotifications(TOP)).toHaveLength(2);
  });

  test("waits for it where nobody is left", async () => {
    using host = testTaskHost();
    await family(host);
    await end(MIDDLE, host);
    await end(TOP, host);
    await end(taskId("b00000000"), host);
    expect(host.ledger.pendingNotifications(MIDDLE)).toHaveLength(1);
  });
});
