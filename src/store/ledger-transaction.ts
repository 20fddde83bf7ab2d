import type { Database } from "bun:sqlite";

/**
 * Runs a body inside one transaction that has the write lock from its start: one that begins by reading could not get it
 * later. The body is synchronous, so that no transaction is ever open while something else runs.
 *
 * Throws what SQLite or the body throws; then nothing of it happened.
 *
 * @param options.durable the commit is on disk when this returns; otherwise it survives the end of the process only
 */
export function runTransaction<Value>(database: Database, body: () => Value, options: { readonly durable?: boolean } = {}): Value {
  if (options.durable === true) return withFullSync(database, () => runImmediate(database, body));
  return runImmediate(database, body);
}

function withFullSync<Value>(database: Database, run: () => Value): Value {
  database.run("PRAGMA synchronous = FULL");
  try {
    return run();
  } finally {
    database.run("PRAGMA synchronous = NORMAL");
  }
}

function runImmediate<Value>(database: Database, body: () => Value): Value {
  database.run("BEGIN IMMEDIATE");
  try {
    const value = body();
    database.run("COMMIT");
    return value;
  } catch (error) {
    // SQLite ends a transaction itself when the disk is full or fails.
    if (database.inTransaction) database.run("ROLLBACK");
    throw error;
  }
}
