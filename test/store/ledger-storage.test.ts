import { describe, expect, test } from "bun:test";
import { lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openStateDirectory, type StateDirectory } from "../../src/platform/state-directory.ts";
import { BALLAST_NAME, ensureBallast, releaseBallast } from "../../src/store/ballast.ts";
import { type Ledger, openLedger } from "../../src/store/ledger.ts";
import { createStorageRetry } from "../../src/store/storage-retry.ts";
import { sampleTask, taskId } from "../support/sample-task.ts";
import { smallDisk, type SmallDisk } from "../support/small-disk.ts";
import { testState } from "../support/test-state.ts";
import { appErrorOf } from "../support/thrown.ts";

function onDisk(disk: SmallDisk, limitMs: number): { readonly state: StateDirectory; readonly ledger: Ledger; [Symbol.dispose](): void } {
  const state = openStateDirectory({ state: join(disk.path, "state") });
  const storage = createStorageRetry({ limitMs, onFull: () => releaseBallast(state.root), onWait: () => undefined, onGiveUp: () => undefined });
  const ledger = openLedger(state, { storage });
  return {
    state,
    ledger,
    [Symbol.dispose]() {
      ledger.close();
      state.close();
    },
  };
}

const LONG = "x".repeat(100_000);

describe("a ledger on a full disk", () => {
  test("finds room in the ballast for what must be put on record (V-214)", async () => {
    using disk = smallDisk({ size: "20m" });
    using opened = onDisk(disk, 1_000);
    await opened.ledger.insertTask(sampleTask(), { durable: true });
    ensureBallast(opened.state.root);
    disk.fill();
    await opened.ledger.insertTask(sampleTask({ id: taskId("b11111111"), description: LONG }), { durable: true });
    expect(opened.ledger.getTask(taskId("b11111111"))?.description).toBe(LONG);
    expect(lstatSync(join(disk.path, "state", BALLAST_NAME), { throwIfNoEntry: false })).toBeUndefined();
  });

  test("waits for room and loses nothing (V-250)", async () => {
    using disk = smallDisk({ size: "20m" });
    using opened = onDisk(disk, 5_000);
    await opened.ledger.insertTask(sampleTask(), { durable: true });
    disk.fill();
    const written = Promise.all(["b11111111", "b22222222"].map((id) => opened.ledger.insertTask(sampleTask({ id: taskId(id), description: LONG }), { durable: true })));
    await Bun.sleep(50);
    expect(opened.ledger.listTasks({ all: true })).toHaveLength(1);
    disk.clear();
    await written;
    expect(opened.ledger.listTasks({ all: true })).toHaveLength(3);
  });

  test("gives up after its limit with one clear error, and what was there stays whole", async () => {
    using disk = smallDisk({ size: "20m" });
    using opened = onDisk(disk, 100);
    await opened.ledger.insertTask(sampleTask(), { durable: true });
    disk.fill();
    const error = await appErrorOf(() => opened.ledger.insertTask(sampleTask({ id: taskId("b11111111"), description: LONG }), { durable: true }));
    expect([error.reason, error.code]).toEqual(["storage", "SQLITE_FULL"]);
    expect(error.message).toContain("the disk is full");
    expect(opened.ledger.listTasks({ all: true }).map(({ id }) => id)).toEqual([sampleTask().id]);
    disk.clear();
    await opened.ledger.insertTask(sampleTask({ id: taskId("b11111111") }), { durable: true });
    expect(opened.ledger.listTasks({ all: true })).toHaveLength(2);
  });
});

test.each([
  ["removed", (path: string) => rmSync(path)],
  ["replaced", (path: string) => (renameSync(path, `${path}.old`), Bun.spawnSync(["cp", `${path}.old`, path]))],
])("a ledger that was %s while it is used is told of at once", async (_how, change) => {
  using state = testState();
  const ledger = openLedger(state.directory);
  await ledger.insertTask(sampleTask(), { durable: true });
  change(join(state.path, "ledger.db"));
  const error = await appErrorOf(() => ledger.insertTask(sampleTask({ id: taskId("b11111111") }), { durable: true }));
  expect([error.reason, error.code]).toEqual(["storage", "removed"]);
  ledger.close();
});
