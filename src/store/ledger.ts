import { lstatSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../core/errors.ts";
import type { TaskLedger } from "../core/task-host.ts";
import type { TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";
import type { StateDirectory } from "../platform/state-directory.ts";
import { REAL_RETRY_WORLD, retryWhileBusySync, type RetryWorld } from "./busy-retry.ts";
import { createCommitQueue } from "./commit-queue.ts";
import { LEDGER_NAME, openLedgerDatabase } from "./ledger-database.ts";
import * as messages from "./ledger-messages.ts";
import type { MessageRow } from "./ledger-messages.ts";
import { ledgerReads, type LedgerReads } from "./ledger-reads.ts";
import type { RunRow } from "./ledger-rows.ts";
import * as writes from "./ledger-writes.ts";
import { resolveReference } from "./resolve-reference.ts";
import { latestRunId, resolveRunReference } from "./resolve-run-reference.ts";
import { storageError } from "./sqlite-error.ts";
import type { StorageRetry } from "./storage-retry.ts";

/** The durable record of runs, tasks and what is due to whom. One per process. */
export interface Ledger extends TaskLedger, LedgerReads {
  /** Records a run together with its root task: neither exists without the other. Rejects as `insertTask` does. */
  insertRun(run: RunRow, rootTask: TaskState, options: { readonly durable: boolean }): Promise<void>;
  /** @param at milliseconds since the epoch */
  endRun(runId: string, at: number): Promise<void>;
  /** Removes a terminal task with all its attempts; false when there is none. Rejects with `conflict` while it is alive. */
  deleteTask(id: TaskId): Promise<boolean>;
  /** Keeps a message until it stands in the recipient's transcript; durable when it resolves. */
  insertMessage(message: MessageRow): Promise<void>;
  /** What was sent to a task and is not in its transcript yet, oldest first. */
  pendingMessages(taskId: TaskId): MessageRow[];
  removeMessages(messageIds: readonly string[]): Promise<void>;
  /** The tasks that a user's text means: none, one, or several when the text is not unique. */
  resolveReference(text: string): TaskId[];
  /** The runs that a user's text means: none, one, or several when the text is not unique. */
  resolveRunReference(text: string): string[];
  /** The run that began last. */
  latestRunId(): string | undefined;
  close(): void;
}

/** Readers wait for others only while a ledger is recovered after a crash. */
const READ_LIMIT_MS = 2_000;

/**
 * Opens the ledger of a state folder.
 *
 * Throws an `AppError` of reason `storage` when it cannot be used, and so does every call of it.
 *
 * @param options.create true unless told. With false nothing is created: where there is no ledger, reads find nothing and
 *   writes are refused
 * @param options.storage waits where writes fail; without it they fail at once. What begins a run never waits: nothing has
 *   been done yet that could be lost
 * @param options.world the clock and the random numbers of retries, for tests
 */
export function openLedger(
  directory: StateDirectory,
  options: { readonly create?: boolean; readonly storage?: StorageRetry; readonly world?: RetryWorld } = {},
): Ledger {
  const { create = true, storage, world = REAL_RETRY_WORLD } = options;
  const path = join(directory.path, LEDGER_NAME);
  const database = openLedgerDatabase(directory.root, { create });
  const refuseRemoved = removalCheck(directory.root.entry(LEDGER_NAME), path);
  const reads = ledgerReads(database);
  const commits = createCommitQueue(database, world);

  async function writeOnce<Value>(body: () => Value, durability: { readonly durable: boolean }): Promise<Value> {
    try {
      refuseRemoved();
      return await commits.write(body, durability);
    } catch (error) {
      throw storageError(error, path);
    }
  }
  async function write<Value>(body: () => Value, durability: { readonly durable: boolean } = { durable: false }): Promise<Value> {
    const attempt = () => writeOnce(body, durability);
    return storage === undefined ? await attempt() : await storage.run(attempt);
  }
  function read<Value>(body: () => Value): Value {
    try {
      return retryWhileBusySync(body, { limitMs: READ_LIMIT_MS });
    } catch (error) {
      throw storageError(error, path);
    }
  }

  return {
    insertRun: (run, rootTask, durability) =>
      writeOnce(() => {
        writes.insertRun(database, run);
        writes.insertTask(database, rootTask);
      }, durability),
    endRun: (runId, at) => write(() => writes.endRun(database, runId, at)),
    insertTask: (task, durability) => write(() => writes.insertTask(database, task), durability),
    startTask: (id, attempt) => write(() => writes.startTask(database, id, attempt)),
    endTask: (id, attempt, ending, end) => write(() => writes.endTask(database, id, attempt, ending, end), end),
    patchTask: (id, attempt, patch) => write(() => writes.patchTask(database, id, attempt, patch)),
    addProcess: (id, attempt, process) => write(() => writes.addProcess(database, id, attempt, process)),
    removeProcess: (id, attempt, pid) => write(() => writes.removeProcess(database, id, attempt, pid)),
    deleteTask: (id) => write(() => writes.deleteTask(database, id)),
    insertMessage: (message) => write(() => messages.insertMessage(database, message), { durable: true }),
    pendingMessages: (taskId) => read(() => messages.pendingMessages(database, taskId)),
    removeMessages: (messageIds) => write(() => messages.removeMessages(database, messageIds)),
    listTasks: (filter) => read(() => reads.listTasks(filter)),
    getTask: (id, attempt) => read(() => reads.getTask(id, attempt)),
    tasksOfRun: (runId) => read(() => reads.tasksOfRun(runId)),
    agentsNamed: (name, sessionId) => read(() => reads.agentsNamed(name, sessionId)),
    getRun: (runId) => read(() => reads.getRun(runId)),
    hasSession: (sessionId) => read(() => reads.hasSession(sessionId)),
    liveRuns: () => read(() => reads.liveRuns()),
    processesOf: (runId, which) => read(() => reads.processesOf(runId, which)),
    pendingNotifications: (recipient) => read(() => reads.pendingNotifications(recipient)),
    resolveReference: (text) => read(() => resolveReference(database, text)),
    resolveRunReference: (text) => read(() => resolveRunReference(database, text)),
    latestRunId: () => read(() => latestRunId(database)),
    close() {
      commits.flush();
      database.close();
    },
  };
}

/** SQLite goes on in a file that was removed, and nobody would ever see what it writes there. */
function removalCheck(entry: string, path: string): () => void {
  const opened = lstatSync(entry, { throwIfNoEntry: false });
  return () => {
    if (opened === undefined) return;
    const current = lstatSync(entry, { throwIfNoEntry: false });
    if (current?.ino === opened.ino && current.dev === opened.dev) return;
    throw new AppError("storage", `Cannot use ledger "${path}": it was removed or replaced while it was used`, { code: "removed" });
  };
}
