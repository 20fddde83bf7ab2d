import { Database } from "bun:sqlite";
import { closeSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemErrorCode } from "../core/errors.ts";
import { openExclusiveFile } from "../platform/exclusive-file.ts";
import { fileDefect } from "../platform/file-defect.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { BUSY_TIMEOUT_MS, retryWhileBusySync } from "./busy-retry.ts";
import { LEDGER_VERSION, migrateLedger, readLedgerVersion, refuseNewerLedger } from "./ledger-schema.ts";
import { runTransaction } from "./ledger-transaction.ts";
import { storageError } from "./sqlite-error.ts";

export const LEDGER_NAME = "ledger.db";
const OPEN_LIMIT_MS = 5_000;

/**
 * Opens the database of the ledger with its tables at the version of this program.
 *
 * Throws an `AppError` of reason `storage` when the file is none of ours, damaged, newer, or locked for 5 s.
 *
 * @param options.create makes the ledger where there is none; otherwise an empty one that refuses writes stands in for it
 */
export function openLedgerDatabase(directory: PinnedDirectory, options: { readonly create: boolean }): Database {
  const path = join(directory.path, LEDGER_NAME);
  const exists = options.create ? makeFile(directory) : hasFile(directory);
  if (!exists) return emptyDatabase();
  checkFile(directory, path);
  try {
    return openFile(directory, path, options);
  } catch (error) {
    throw storageError(error, path);
  }
}

/**
 * SQLite would create the file with a mode that others may read, and gives the mode of the ledger to the files beside it.
 * Nobody in this process has a new file open: closing a descriptor of a database gives up all locks of the process on it.
 */
function makeFile(directory: PinnedDirectory): boolean {
  try {
    closeSync(openExclusiveFile(directory, LEDGER_NAME));
  } catch (error) {
    if (systemErrorCode(error) === "EEXIST") return true;
    throw new AppError("storage", `Cannot create the ledger in "${directory.path}": ${systemErrorCode(error) ?? "unknown error"}`, {
      cause: error,
    });
  }
  return true;
}

function hasFile(directory: PinnedDirectory): boolean {
  return lstatSync(directory.entry(LEDGER_NAME), { throwIfNoEntry: false }) !== undefined;
}

function checkFile(directory: PinnedDirectory, path: string): void {
  const defect = fileDefect(lstatSync(directory.entry(LEDGER_NAME)));
  if (defect !== undefined) throw new AppError("storage", `Cannot use ledger "${path}": ${defect}`, { code: "unusable_file" });
}

function openFile(directory: PinnedDirectory, path: string, options: { readonly create: boolean }): Database {
  const database = new Database(directory.entry(LEDGER_NAME), { readwrite: true, create: false, strict: true });
  try {
    database.run(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const version = retryWhileBusySync(() => readLedgerVersion(database), { limitMs: OPEN_LIMIT_MS });
    refuseNewerLedger(version, path);
    // Somebody is just creating it, or died doing so.
    if (version === 0 && !options.create) {
      database.close();
      return emptyDatabase();
    }
    retryWhileBusySync(() => prepareForWrites(database, path), { limitMs: OPEN_LIMIT_MS });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepareForWrites(database: Database, path: string): void {
  const mode = database.query<{ journal_mode: string }, []>("PRAGMA journal_mode = WAL").get()?.journal_mode;
  if (mode !== "wal") {
    throw new AppError("storage", `Cannot use ledger "${path}": its file system does not let processes share memory`, { code: "no_wal" });
  }
  database.run("PRAGMA synchronous = NORMAL");
  if (readLedgerVersion(database) < LEDGER_VERSION) runTransaction(database, () => migrateLedger(database));
}

function emptyDatabase(): Database {
  const database = new Database(":memory:", { strict: true });
  migrateLedger(database);
  database.run("PRAGMA query_only = ON");
  return database;
}
