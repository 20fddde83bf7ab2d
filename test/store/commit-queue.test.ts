import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { createCommitQueue } from "../../src/store/commit-queue.ts";
import { tempDir } from "../support/temp-dir.ts";

/** A database with a table of numbers, and a second connection that can hold the write lock. */
function numbers() {
  const directory = tempDir();
  const path = join(directory.path, "numbers.db");
  const open = () => new Database(path, { create: true, strict: true });
  const [database, other] = [open(), open()];
  database.run("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 1; CREATE TABLE numbers (number INTEGER PRIMARY KEY)");
  let sleeps = 0;
  const world = {
    now: () => 0,
    random: () => 0,
    sleep: async () => {
      sleeps++;
      other.run("ROLLBACK");
    },
  };
  const commits = createCommitQueue(database, world);
  return {
    commits,
    database,
    other,
    sleeps: () => sleeps,
    insert: (number: number) => commits.write(() => database.run(`INSERT INTO numbers VALUES (${number})`).changes, { durable: number % 2 === 0 }),
    stored: () => other.query<{ number: number }, []>("SELECT number FROM numbers ORDER BY number").all().map((row) => row.number),
    [Symbol.dispose]() {
      database.close();
      other.close();
      directory[Symbol.dispose]();
    },
  };
}

test("what is written at once is committed at once: a hundred writes wait for another writer one time", async () => {
  using table = numbers();
  table.other.run("BEGIN IMMEDIATE");
  const all = Array.from({ length: 100 }, (_, number) => number);
  await Promise.all(all.map(table.insert));
  expect([table.sleeps(), table.stored()]).toEqual([1, all]);
});

test("a write that fails is undone alone, and alone hears of it", async () => {
  using table = numbers();
  const outcomes = await Promise.allSettled([1, 2, 1, 3].map(table.insert));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  expect(table.stored()).toEqual([1, 2, 3]);
});

test("a body that fails half-way leaves nothing of itself", async () => {
  using table = numbers();
  const failing = table.commits.write(
    () => {
      table.database.run("INSERT INTO numbers VALUES (9)");
      throw new Error("half-way");
    },
    { durable: false },
  );
  const [inserted, failed] = await Promise.allSettled([table.insert(1), failing]);
  expect([inserted?.status, failed]).toMatchObject(["fulfilled", { status: "rejected", reason: { message: "half-way" } }]);
  await table.insert(2);
  expect(table.stored()).toEqual([1, 2]);
});

test("a commit that is refused rejects everything that was in it", async () => {
  using table = numbers();
  await table.insert(1);
  table.other.run("BEGIN IMMEDIATE");
  table.commits.write(() => 0, { durable: false }).catch(() => undefined);
  const refused = Promise.allSettled([table.insert(2), table.insert(3)]);
  table.commits.flush();
  expect((await refused).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  table.other.run("ROLLBACK");
  await table.insert(4);
  expect(table.stored()).toEqual([1, 4]);
});

test("what waits is committed by a flush, before it returns", () => {
  using table = numbers();
  void table.insert(7);
  expect(table.stored()).toEqual([]);
  table.commits.flush();
  expect(table.stored()).toEqual([7]);
});
