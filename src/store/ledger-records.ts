import type { ExitReason } from "../core/exit-code.ts";
import type { NotificationRow } from "../core/task-host.ts";
import type { TaskDetail, TaskState } from "../core/task-state.ts";
import type { TaskId, TaskStatus, TaskType } from "../core/task.ts";
import type { RunRow, TaskBaseRow, TaskProcessRow, TaskSummaryRow } from "./ledger-rows.ts";

// Records are what the tables hold, rows and states what the program works with. Nothing outside the ledger sees a record.

/** The columns that are written as they are, in the order of the table. */
const BASE_COLUMNS = `task_id, attempt, type, status, description, tool_use_id, start_time, end_time, total_paused_ms,
  output_file, output_offset, notified, run_id, session_id, parent_task_id, name, cwd, is_backgrounded, exit_code, exit_reason, error`;
export const SUMMARY_COLUMNS = `${BASE_COLUMNS}, turn_count, token_count, cost_usd, last_activity`;
export const TASK_COLUMNS = `${BASE_COLUMNS}, detail`;

interface BaseRecord {
  readonly task_id: string;
  readonly attempt: number;
  readonly type: string;
  readonly status: string;
  readonly description: string;
  readonly tool_use_id: string | null;
  readonly start_time: number;
  readonly end_time: number | null;
  readonly total_paused_ms: number | null;
  readonly output_file: string;
  readonly output_offset: number;
  readonly notified: number;
  readonly run_id: string;
  readonly session_id: string;
  readonly parent_task_id: string | null;
  readonly name: string | null;
  readonly cwd: string;
  readonly is_backgrounded: number | null;
  readonly exit_code: number | null;
  readonly exit_reason: string | null;
  readonly error: string | null;
}

export interface SummaryRecord extends BaseRecord {
  readonly turn_count: number | null;
  readonly token_count: number | null;
  readonly cost_usd: number | null;
  readonly last_activity: string | null;
}

export interface TaskRecord extends BaseRecord {
  readonly detail: string;
}

export interface RunRecord {
  readonly run_id: string;
  readonly session_id: string;
  readonly root_task_id: string;
  readonly owner_pid: number;
  readonly owner_start_time: string;
  readonly owner_boot_id: string;
  readonly version: string;
  readonly created_at: number;
  readonly ended_at: number | null;
  readonly control_directory: string | null;
  readonly process_mark: string | null;
}

export interface NotificationRecord {
  readonly notification_id: string;
  readonly task_id: string;
  readonly attempt: number;
  readonly recipient_task_id: string;
}

export interface ProcessRecord {
  readonly task_id: string;
  readonly attempt: number;
  readonly pid: number;
  readonly start_time: string;
  readonly boot_id: string;
}

/** The inverse of `taskRecord`: a column without a value becomes an absent field. */
export function taskFromRecord(record: TaskRecord): TaskState {
  return { ...baseFromRecord(record), detail: parseDetail(record.detail) };
}

export function summaryFromRecord(record: SummaryRecord): TaskSummaryRow {
  const summary: Writable<TaskSummaryRow> = baseFromRecord(record);
  if (record.turn_count !== null) summary.turnCount = record.turn_count;
  if (record.token_count !== null) summary.tokenCount = record.token_count;
  if (record.cost_usd !== null) summary.costUsd = record.cost_usd;
  if (record.last_activity !== null) summary.lastActivity = record.last_activity;
  return summary;
}

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

/**
 * Field by field: for a list of thousands, spreads of mostly empty objects would take as long as the query.
 *
 * The ledger holds what this program wrote: its ids, types and statuses were checked on the way in, hence the casts.
 */
function baseFromRecord(record: BaseRecord): Writable<TaskBaseRow> {
  const row: Writable<TaskBaseRow> = {
    id: record.task_id as TaskId,
    type: record.type as TaskType,
    status: record.status as TaskStatus,
    description: record.description,
    startTime: record.start_time,
    outputFile: record.output_file,
    outputOffset: record.output_offset,
    notified: record.notified !== 0,
    attempt: record.attempt,
    runId: record.run_id,
    sessionId: record.session_id,
    cwd: record.cwd,
  };
  if (record.tool_use_id !== null) row.toolUseId = record.tool_use_id;
  if (record.end_time !== null) row.endTime = record.end_time;
  if (record.total_paused_ms !== null) row.totalPausedMs = record.total_paused_ms;
  if (record.parent_task_id !== null) row.parentTaskId = record.parent_task_id as TaskId;
  if (record.name !== null) row.name = record.name;
  if (record.is_backgrounded !== null) row.isBackgrounded = record.is_backgrounded !== 0;
  if (record.exit_code !== null && record.exit_reason !== null) row.exit = { code: record.exit_code, reason: record.exit_reason as ExitReason };
  if (record.error !== null) row.error = record.error;
  return row;
}

export function taskRecord(task: TaskState): TaskRecord {
  return {
    task_id: task.id,
    attempt: task.attempt,
    type: task.type,
    status: task.status,
    description: task.description,
    tool_use_id: task.toolUseId ?? null,
    start_time: task.startTime,
    end_time: task.endTime ?? null,
    total_paused_ms: task.totalPausedMs ?? null,
    output_file: task.outputFile,
    output_offset: task.outputOffset,
    notified: task.notified ? 1 : 0,
    run_id: task.runId,
    session_id: task.sessionId,
    parent_task_id: task.parentTaskId ?? null,
    name: task.name ?? null,
    cwd: task.cwd,
    is_backgrounded: booleanColumn(task.isBackgrounded),
    exit_code: task.exit?.code ?? null,
    exit_reason: task.exit?.reason ?? null,
    error: task.error ?? null,
    detail: JSON.stringify(task.detail),
  };
}

export function booleanColumn(value: boolean | undefined): number | null {
  if (value === undefined) return null;
  return value ? 1 : 0;
}

export function parseDetail(text: string): TaskDetail {
  return JSON.parse(text) as TaskDetail;
}

export function runFromRecord(record: RunRecord): RunRow {
  return {
    runId: record.run_id,
    sessionId: record.session_id,
    rootTaskId: record.root_task_id as TaskId,
    owner: { pid: record.owner_pid, startTime: record.owner_start_time, bootId: record.owner_boot_id },
    version: record.version,
    createdAt: record.created_at,
    ...(record.ended_at === null ? {} : { endedAt: record.ended_at }),
    ...(record.control_directory === null ? {} : { controlDirectory: record.control_directory }),
    ...(record.process_mark === null ? {} : { processMark: record.process_mark }),
  };
}

export function runRecord(run: RunRow): RunRecord {
  return {
    run_id: run.runId,
    session_id: run.sessionId,
    root_task_id: run.rootTaskId,
    owner_pid: run.owner.pid,
    owner_start_time: run.owner.startTime,
    owner_boot_id: run.owner.bootId,
    version: run.version,
    created_at: run.createdAt,
    ended_at: run.endedAt ?? null,
    control_directory: run.controlDirectory ?? null,
    process_mark: run.processMark ?? null,
  };
}

export function notificationFromRecord(record: NotificationRecord): NotificationRow {
  return {
    notificationId: record.notification_id,
    taskId: record.task_id as TaskId,
    attempt: record.attempt,
    recipientTaskId: record.recipient_task_id as TaskId,
  };
}

export function processFromRecord(record: ProcessRecord): TaskProcessRow {
  return {
    taskId: record.task_id as TaskId,
    attempt: record.attempt,
    pid: record.pid,
    startTime: record.start_time,
    bootId: record.boot_id,
  };
}
