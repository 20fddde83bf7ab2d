import type { Database } from "bun:sqlite";
import { retryWhileBusy, type RetryWorld } from "./busy-retry.ts";
import { runTransaction } from "./ledger-transaction.ts";

/** Commits together what is written at once: many tasks that start or end in one moment wait for the disk once. */
export interface CommitQueue {
  /**
   * Runs a synchronous body in one transaction with all others that are asked for in this turn of the event loop, in
   * their order. Resolves when the transaction is committed; it is on disk then where one of them wants that.
   *
   * Rejects with what the body throws, which undoes this body alone, or with what SQLite throws.
   */
  write<Value>(body: () => Value, options: { readonly durable: boolean }): Promise<Value>;
  /** Commits at once what still waits, without another try where somebody else writes. */
  flush(): void;
}

export function createCommitQueue(database: Database, world: RetryWorld): CommitQueue {
  let waiting: Write[] = [];
  let isCommitting = false;

  function takeWaiting(): readonly Write[] {
    const group = waiting;
    waiting = [];
    return group;
  }

  async function commitWaiting(): Promise<void> {
    for (let group = takeWaiting(); group.length > 0; group = takeWaiting()) await commitGroup(database, group, world);
    isCommitting = false;
  }

  return {
    write<Value>(body: () => Value, { durable }: { readonly durable: boolean }): Promise<Value> {
      const { promise, resolve, reject } = Promise.withResolvers<Value>();
      const run = () => {
        const value = body();
        return () => resolve(value);
      };
      waiting.push({ run, reject, durable });
      if (!isCommitting) setImmediate(() => void commitWaiting());
      isCommitting = true;
      return promise;
    },
    flush() {
      const group = takeWaiting();
      if (group.length === 0) return;
      try {
        answer(commit(database, group));
      } catch (error) {
        answer(refusals(group, error));
      }
    },
  };
}

interface Write {
  /** Runs the body; returns what tells its caller that it is committed. */
  readonly run: () => Answer;
  readonly reject: (error: unknown) => void;
  readonly durable: boolean;
}

type Answer = () => void;

/** Never rejects. */
async function commitGroup(database: Database, group: readonly Write[], world: RetryWorld): Promise<void> {
  answer(await retryWhileBusy(() => commit(database, group), world).catch((error: unknown) => refusals(group, error)));
}

function commit(database: Database, group: readonly Write[]): readonly Answer[] {
  return runTransaction(database, () => group.map((write) => runApart(database, write)), { durable: group.some(({ durable }) => durable) });
}

/** A body that throws leaves the others of the group alone. */
function runApart(database: Database, { run, reject }: Write): Answer {
  database.run("SAVEPOINT one_write");
  try {
    const committed = run();
    database.run("RELEASE one_write");
    return committed;
  } catch (error) {
    // SQLite ends the whole transaction itself when the disk is full or fails.
    if (!database.inTransaction) throw error;
    database.run("ROLLBACK TO one_write");
    database.run("RELEASE one_write");
    return () => reject(error);
  }
}

function refusals(group: readonly Write[], error: unknown): readonly Answer[] {
  return group.map(({ reject }) => () => reject(error));
}

function answer(answers: readonly Answer[]): void {
  for (const tell of answers) tell();
}
