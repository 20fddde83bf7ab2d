import type { Database } from "bun:sqlite";
import { AppError } from "../core/errors.ts";

/**
 * The version of the tables, kept in `user_version`: a thousand times the major number plus the minor one. A minor step
 * only adds what older programs can ignore: tables, indexes, columns that have a default. A major one would not, and
 * programs of an earlier major refuse the ledger.
 */
export const LEDGER_VERSION = 1_003;

/** What leads to each version from the one before. Steps are only ever added at the end. */
const MIGRATIONS: readonly { readonly version: number; readonly sql: string }[] = [
  {
    version: 1_000,
    sql: `
      CREATE TABLE runs (
        run_id TEXT NOT NULL PRIMARY KEY,
        session_id TEXT NOT NULL,
        root_task_id TEXT NOT NULL,
        owner_pid INTEGER NOT NULL,
        owner_start_time TEXT NOT NULL,
        owner_boot_id TEXT NOT NULL,
        version TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        ended_at INTEGER,
        control_directory TEXT
      );
      CREATE INDEX runs_by_session ON runs (session_id);
      CREATE INDEX runs_by_root_task ON runs (root_task_id);

      -- The detail comes last: reading the columns before it never touches its overflow pages. What a list shows of it is
      -- copied out whenever it is written.
      CREATE TABLE tasks (
        task_id TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        type TEXT NOT NULL,
        status TEXT NOT NULL,
        description TEXT NOT NULL,
        tool_use_id TEXT,
        start_time INTEGER NOT NULL,
        end_time INTEGER,
        total_paused_ms INTEGER,
        output_file TEXT NOT NULL,
        output_offset INTEGER NOT NULL,
        notified INTEGER NOT NULL,
        run_id TEXT NOT NULL,
        session_id TEXT NOT NULL,
        parent_task_id TEXT,
        name TEXT,
        cwd TEXT NOT NULL,
        is_backgrounded INTEGER,
        exit_code INTEGER,
        exit_reason TEXT,
        error TEXT,
        turn_count INTEGER AS (detail ->> '$.turnCount') STORED,
        token_count INTEGER AS (detail ->> '$.progress.tokenCount') STORED,
        cost_usd REAL AS (detail ->> '$.costUsd') STORED,
        last_activity TEXT AS (detail ->> '$.progress.lastActivity') STORED,
        detail TEXT NOT NULL,
        UNIQUE (task_id, attempt)
      );
      CREATE INDEX tasks_by_start ON tasks (start_time);
      CREATE INDEX tasks_by_run ON tasks (run_id);
      CREATE INDEX tasks_by_name ON tasks (name, start_time) WHERE name IS NOT NULL;
      CREATE INDEX tasks_alive ON tasks (start_time) WHERE status IN ('pending', 'running');

      CREATE TABLE notifications (
        notification_id TEXT NOT NULL PRIMARY KEY,
        task_id TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        recipient_task_id TEXT NOT NULL,
        UNIQUE (task_id, attempt)
      );
      CREATE INDEX notifications_by_recipient ON notifications (recipient_task_id);

      CREATE TABLE processes (
        task_id TEXT NOT NULL,
        attempt INTEGER NOT NULL,
        pid INTEGER NOT NULL,
        start_time TEXT NOT NULL,
        boot_id TEXT NOT NULL,
        PRIMARY KEY (task_id, attempt, pid)
      ) WITHOUT ROWID;
    `,
  },
  {
    version: 1_001,
    sql: `
      -- What was sent to an agent and has not come into its conversation yet.
      CREATE TABLE messages (
        message_id TEXT NOT NULL PRIMARY KEY,
        task_id TEXT NOT NULL,
        sender TEXT,
        text TEXT NOT NULL,
        sent_at INTEGER NOT NULL
      );
      CREATE INDEX messages_by_task ON messages (task_id, sent_at);
    `,
  },
  {
    version: 1_002,
    sql: `
      -- What the marks of the run's processes begin with.
      ALTER TABLE runs ADD COLUMN process_mark TEXT;
    `,
  },
  {
    version: 1_003,
    sql: `
      CREATE INDEX runs_without_end ON runs (created_at) WHERE ended_at IS NULL;
    `,
  },
];

export function readLedgerVersion(database: Database): number {
  const row = database.query<{ user_version: number }, []>("PRAGMA user_version").get();
  return row?.user_version ?? 0;
}

/** Throws an `AppError` of reason `storage` when a program of a later major version made the tables. */
export function refuseNewerLedger(version: number, path: string): void {
  if (Math.floor(version / 1_000) <= Math.floor(LEDGER_VERSION / 1_000)) return;
  throw new AppError(
    "storage",
    `Cannot open ledger "${path}": a newer version of this program wrote it (ledger version ${version}, this program knows ${LEDGER_VERSION}); ` +
      "use the newer program, or set AGENT_STATE_DIR to another folder",
    { code: "newer_ledger" },
  );
}

/** Brings the tables to the version of this program. To be called inside a transaction. */
export function migrateLedger(database: Database): void {
  const version = readLedgerVersion(database);
  for (const step of MIGRATIONS) {
    if (step.version > version) database.run(step.sql);
  }
  if (version < LEDGER_VERSION) database.run(`PRAGMA user_version = ${LEDGER_VERSION}`);
}
