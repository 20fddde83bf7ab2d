import type { Database } from "bun:sqlite";
import type { NotificationRow } from "../core/task-host.ts";
import type { TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";
import {
  notificationFromRecord,
  processFromRecord,
  runFromRecord,
  SUMMARY_COLUMNS,
  summaryFromRecord,
  TASK_COLUMNS,
  taskFromRecord,
  type NotificationRecord,
  type ProcessRecord,
  type RunRecord,
  type SummaryRecord,
  type TaskRecord,
} from "./ledger-records.ts";
import type { RunRow, TaskProcessRow, TaskSummaryRow } from "./ledger-rows.ts";

/** What can be asked of the ledger. Every call sees one consistent state; none waits for a writer. */
export interface LedgerReads {
  /**
   * The latest attempt of each task, newest first.
   *
   * @param options.all also what is terminal or in the foreground
   * @param options.limit the most rows; no limit unless told
   */
  listTasks(options: { readonly all: boolean; readonly limit?: number }): TaskSummaryRow[];
  /** The latest attempt unless one is named. */
  getTask(id: TaskId, attempt?: number): TaskState | undefined;
  /** All attempts that a run owns, in the order of their recording. */
  tasksOfRun(runId: string): TaskState[];
  /** The agents of a session with a name, each in its latest attempt, the latest first; ten at the most. */
  agentsNamed(name: string, sessionId: string): TaskState[];
  getRun(runId: string): RunRow | undefined;
  /** Whether a run of a session is on record. */
  hasSession(sessionId: string): boolean;
  /**
   * The runs whose end is not on record, oldest first: their owner lives, or it died before everything was written that
   * has to be known of them.
   */
  liveRuns(): RunRow[];
  /** The processes of a run's tasks that have not ended; with `all`, of ended ones too. */
  processesOf(runId: string, options?: { readonly all: true }): TaskProcessRow[];
  /** What is due to a task and has not been given to it, oldest first. */
  pendingNotifications(recipient: TaskId): NotificationRow[];
}

export function ledgerReads(database: Database): LedgerReads {
  return {
    listTasks: ({ all, limit = -1 }) => listTasks(database, { all, limit }),
    getTask: (id, attempt) => getTask(database, id, attempt),
    tasksOfRun: (runId) =>
      database
        .query<TaskRecord, [string]>(`SELECT ${TASK_COLUMNS} FROM tasks WHERE run_id = ? ORDER BY rowid`)
        .all(runId)
        .map(taskFromRecord),
    agentsNamed: (name, sessionId) =>
      database
        .query<TaskRecord, [string, string]>(
          `SELECT ${TASK_COLUMNS} FROM tasks AS task WHERE name = ?1 AND session_id = ?2 AND type = 'local_agent'
            AND attempt = (SELECT max(attempt) FROM tasks WHERE task_id = task.task_id) ORDER BY start_time DESC, rowid DESC LIMIT 10`,
        )
        .all(name, sessionId)
        .map(taskFromRecord),
    hasSession: (sessionId) => database.query<unknown, [string]>("SELECT 1 FROM runs WHERE session_id = ? LIMIT 1").get(sessionId) !== null,
    getRun(runId) {
      const record = database.query<RunRecord, [string]>("SELECT * FROM runs WHERE run_id = ?").get(runId);
      return record === null ? undefined : runFromRecord(record);
    },
    liveRuns: () =>
      database
        .query<RunRecord, []>("SELECT * FROM runs WHERE ended_at IS NULL ORDER BY created_at, rowid")
        .all()
        .map(runFromRecord),
    processesOf: (runId, options) =>
      database
        .query<ProcessRecord, [string]>(
          `SELECT processes.* FROM processes
           JOIN tasks USING (task_id, attempt)
           WHERE tasks.run_id = ?${options?.all === true ? "" : " AND tasks.status IN ('pending', 'running')"}
           ORDER BY processes.task_id, processes.attempt, processes.pid`,
        )
        .all(runId)
        .map(processFromRecord),
    pendingNotifications: (recipient) =>
      database
        .query<NotificationRecord, [string]>(
          `SELECT notifications.* FROM notifications
           JOIN tasks USING (task_id, attempt)
           WHERE recipient_task_id = ? AND notified = 0
           ORDER BY notifications.rowid`,
        )
        .all(recipient)
        .map(notificationFromRecord),
  };
}

const IS_LATEST_ATTEMPT = `NOT EXISTS (
  SELECT 1 FROM tasks AS newer WHERE newer.task_id = tasks.task_id AND newer.attempt > tasks.attempt
)`;
const IS_ALIVE_IN_BACKGROUND = "status IN ('pending', 'running') AND is_backgrounded IS NOT 0";

function listTasks(database: Database, { all, limit }: { readonly all: boolean; readonly limit: number }): TaskSummaryRow[] {
  const condition = all ? IS_LATEST_ATTEMPT : `${IS_ALIVE_IN_BACKGROUND} AND ${IS_LATEST_ATTEMPT}`;
  return database
    .query<SummaryRecord, [number]>(
      `SELECT ${SUMMARY_COLUMNS} FROM tasks WHERE ${condition} ORDER BY start_time DESC, rowid DESC LIMIT ?`,
    )
    .all(limit)
    .map(summaryFromRecord);
}

function getTask(database: Database, id: TaskId, attempt: number | undefined): TaskState | undefined {
  const record = database
    .query<TaskRecord, [string, number | null]>(
      `SELECT ${TASK_COLUMNS} FROM tasks WHERE task_id = ?1 AND (?2 IS NULL OR attempt = ?2) ORDER BY attempt DESC LIMIT 1`,
    )
    .get(id, attempt ?? null);
  return record === null ? undefined : taskFromRecord(record);
}
