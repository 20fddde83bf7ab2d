import type { Database } from "bun:sqlite";
import { AppError } from "../core/errors.ts";
import type { NotificationRow, ProcessIdentity, TaskPatch } from "../core/task-host.ts";
import type { TaskDetail, TaskEnding, TaskState } from "../core/task-state.ts";
import { statusesBefore, type TaskId, type TaskStatus } from "../core/task.ts";
import {
  booleanColumn,
  parseDetail,
  runRecord,
  TASK_COLUMNS,
  taskFromRecord,
  taskRecord,
  type TaskRecord,
} from "./ledger-records.ts";
import type { RunRow } from "./ledger-rows.ts";
import { isDuplicate } from "./sqlite-error.ts";

// Each function is the body of a transaction.

type Columns = Record<string, string | number | null>;

/** Throws an `AppError` of reason `conflict` when the run is recorded already. */
export function insertRun(database: Database, run: RunRow): void {
  const record = { ...runRecord(run) };
  refuseDuplicate(`record run "${run.runId}"`, () => database.query<unknown, [Columns]>(insertSql("runs", record)).run(record));
}

export function endRun(database: Database, runId: string, at: number): void {
  database.query<unknown, [number, string]>("UPDATE runs SET ended_at = ? WHERE run_id = ?").run(at, runId);
}

/** Throws an `AppError` of reason `conflict` when the attempt is recorded already or a living task has its name. */
export function insertTask(database: Database, task: TaskState): void {
  if (task.name !== undefined) refuseNameInUse(database, task.name, task);
  const record = { ...taskRecord(task) };
  refuseDuplicate(`record attempt ${task.attempt} of task "${task.id}"`, () =>
    database.query<unknown, [Columns]>(insertSql("tasks", record)).run(record),
  );
}

/** Names that users give are theirs alone; those that models give within a conversation matter there only. */
function refuseNameInUse(database: Database, name: string, { id, parentTaskId, sessionId }: TaskState): void {
  const scope = parentTaskId === undefined ? "parent_task_id IS NULL AND ?3 IS NOT NULL" : "session_id = ?3";
  const other = database
    .query<{ task_id: string }, [string, string, string]>(
      `SELECT task_id FROM tasks WHERE name = ?1 AND task_id <> ?2 AND ${scope} AND status IN ('pending', 'running') LIMIT 1`,
    )
    .get(name, id, sessionId);
  if (other === null) return;
  throw new AppError("conflict", `Cannot name a task "${name}": the running task "${other.task_id}" has that name`, { code: "name_in_use" });
}

export function startTask(database: Database, id: TaskId, attempt: number): TaskState | undefined {
  const record = database
    .query<TaskRecord, [string, number, string]>(
      `UPDATE tasks SET status = 'running' WHERE task_id = ?1 AND attempt = ?2 AND ${statusGuard("?3")} RETURNING ${TASK_COLUMNS}`,
    )
    .get(id, attempt, guardValue("running"));
  return record === null ? undefined : taskFromRecord(record);
}

export interface EndOptions {
  readonly endTime: number;
  readonly notification?: NotificationRow;
  readonly heir?: TaskId;
}

/** Terminal status and notification together: whoever sees one sees the other. */
export function endTask(database: Database, id: TaskId, attempt: number, ending: TaskEnding, options: EndOptions): TaskState | undefined {
  const record = database
    .query<TaskRecord, [Columns]>(
      `UPDATE tasks
       SET status = $status, end_time = $end_time, exit_code = $exit_code, exit_reason = $exit_reason, error = $error,
         notified = $notified, detail = coalesce($detail, detail)
       WHERE task_id = $task_id AND attempt = $attempt AND ${statusGuard("$statuses_before")}
       RETURNING ${TASK_COLUMNS}`,
    )
    .get({
      task_id: id,
      attempt,
      statuses_before: guardValue(ending.status),
      status: ending.status,
      end_time: options.endTime,
      exit_code: ending.exit.code,
      exit_reason: ending.exit.reason,
      error: ending.error ?? null,
      // Where no notification is due, there is none to wait for.
      notified: options.notification === undefined ? 1 : 0,
      detail: mergedDetail(database, id, attempt, ending.detail),
    });
  if (record === null) return undefined;
  if (options.notification !== undefined) insertNotification(database, options.notification);
  if (options.heir !== undefined) passOnNotifications(database, id, options.heir);
  return taskFromRecord(record);
}

/** A terminal attempt is history: only what concerns its delivery still changes. */
export function patchTask(database: Database, id: TaskId, attempt: number, patch: TaskPatch): TaskState | undefined {
  const isAboutDelivery = patch.isBackgrounded === undefined && patch.description === undefined && patch.detail === undefined;
  const record = database
    .query<TaskRecord, [Columns]>(
      `UPDATE tasks
       SET is_backgrounded = coalesce($is_backgrounded, is_backgrounded), notified = coalesce($notified, notified),
         output_offset = coalesce($output_offset, output_offset), description = coalesce($description, description),
         detail = coalesce($detail, detail)
       WHERE task_id = $task_id AND attempt = $attempt AND ($is_about_delivery OR status IN ('pending', 'running'))
       RETURNING ${TASK_COLUMNS}`,
    )
    .get({
      task_id: id,
      attempt,
      is_about_delivery: booleanColumn(isAboutDelivery),
      is_backgrounded: booleanColumn(patch.isBackgrounded),
      notified: booleanColumn(patch.notified),
      output_offset: patch.outputOffset ?? null,
      description: patch.description ?? null,
      detail: mergedDetail(database, id, attempt, patch.detail),
    });
  return record === null ? undefined : taskFromRecord(record);
}

export function addProcess(database: Database, id: TaskId, attempt: number, process: ProcessIdentity): void {
  database
    .query<unknown, [string, number, number, string, string]>("INSERT OR REPLACE INTO processes (task_id, attempt, pid, start_time, boot_id) VALUES (?, ?, ?, ?, ?)")
    .run(id, attempt, process.pid, process.startTime, process.bootId);
}

export function removeProcess(database: Database, id: TaskId, attempt: number, pid: number): void {
  database
    .query<unknown, [string, number, number]>("DELETE FROM processes WHERE task_id = ? AND attempt = ? AND pid = ?")
    .run(id, attempt, pid);
}

/**
 * Removes all attempts of a task, and the runs that have no other task.
 *
 * Throws an `AppError` of reason `conflict` while an attempt is pending or running.
 *
 * @returns whether there was such a task
 */
export function deleteTask(database: Database, id: TaskId): boolean {
  const alive = database
    .query<{ status: string }, [string]>("SELECT status FROM tasks WHERE task_id = ? AND status IN ('pending', 'running')")
    .get(id);
  if (alive !== null) throw new AppError("conflict", `Cannot remove task "${id}": it is ${alive.status}; stop it first`, { code: "not_terminal" });
  const runs = database.query<{ run_id: string }, [string]>("SELECT DISTINCT run_id FROM tasks WHERE task_id = ?").all(id);
  const { changes } = database.query<unknown, [string]>("DELETE FROM tasks WHERE task_id = ?").run(id);
  database.query<unknown, [string]>("DELETE FROM notifications WHERE task_id = ?").run(id);
  database.query<unknown, [string]>("DELETE FROM processes WHERE task_id = ?").run(id);
  database.query<unknown, [string]>("DELETE FROM messages WHERE task_id = ?").run(id);
  for (const { run_id: runId } of runs) {
    database.query<unknown, [string]>("DELETE FROM runs WHERE run_id = ?1 AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.run_id = ?1)").run(runId);
  }
  return changes > 0;
}

/** Of the notices that were due to a task, those that it has not got. */
function passOnNotifications(database: Database, from: TaskId, to: TaskId): void {
  database
    .query<unknown, [string, string]>(
      `UPDATE notifications SET recipient_task_id = ?1
       WHERE recipient_task_id = ?2 AND EXISTS (
         SELECT 1 FROM tasks WHERE tasks.task_id = notifications.task_id AND tasks.attempt = notifications.attempt AND notified = 0
       )`,
    )
    .run(to, from);
}

function insertNotification(database: Database, notification: NotificationRow): void {
  database
    .query<unknown, [string, string, number, string]>(
      "INSERT INTO notifications (notification_id, task_id, attempt, recipient_task_id) VALUES (?, ?, ?, ?)",
    )
    .run(notification.notificationId, notification.taskId, notification.attempt, notification.recipientTaskId);
}

/** The stored detail with fields replaced, as text; null where nothing is to be replaced. */
function mergedDetail(database: Database, id: TaskId, attempt: number, fields: TaskDetail | undefined): string | null {
  if (fields === undefined) return null;
  const row = database
    .query<{ detail: string }, [string, number]>("SELECT detail FROM tasks WHERE task_id = ? AND attempt = ?")
    .get(id, attempt);
  return row === null ? null : JSON.stringify({ ...parseDetail(row.detail), ...fields });
}

function statusGuard(parameter: string): string {
  return `status IN (SELECT value FROM json_each(${parameter}))`;
}

function guardValue(next: TaskStatus): string {
  return JSON.stringify(statusesBefore(next));
}

function insertSql(table: string, record: Columns): string {
  const columns = Object.keys(record);
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map((column) => `$${column}`).join(", ")})`;
}

function refuseDuplicate(action: string, insert: () => void): void {
  try {
    insert();
  } catch (error) {
    if (isDuplicate(error)) throw new AppError("conflict", `Cannot ${action}: it is recorded already`, { code: "exists", cause: error });
    throw error;
  }
}
