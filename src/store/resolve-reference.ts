import type { Database } from "bun:sqlite";
import type { TaskId } from "../core/task.ts";

/** Shorter prefixes would soon mean another task. */
const PREFIX_LENGTH_MIN = 4;
const REFERENCE_LENGTH_MAX = 256;
const CANDIDATES_MAX = 20;

/**
 * The tasks that a user's text means. The first kind of name that fits decides: task id, run id, session id (both: the
 * root task), the name of a task (its newest bearer), the beginning of a task or run id.
 *
 * @returns nothing when no task is meant; several, 20 at most, when the beginning is not unique
 */
export function resolveReference(database: Database, text: string): TaskId[] {
  if (text === "" || text.length > REFERENCE_LENGTH_MAX) return [];
  for (const sql of [TASK_ID, RUN_ID, SESSION_ID, NAME]) {
    const ids = select(database, sql, text);
    if (ids.length > 0) return ids;
  }
  return text.length < PREFIX_LENGTH_MIN ? [] : select(database, PREFIX, text);
}

const TASK_ID = "SELECT task_id FROM tasks WHERE task_id = ?1 LIMIT 1";
const RUN_ID = "SELECT root_task_id AS task_id FROM runs WHERE run_id = ?1";
const SESSION_ID = `SELECT DISTINCT root_task_id AS task_id FROM runs WHERE session_id = ?1 LIMIT ${CANDIDATES_MAX}`;
const NAME = "SELECT task_id FROM tasks WHERE name = ?1 ORDER BY start_time DESC, rowid DESC LIMIT 1";
// A range instead of LIKE: it uses the index, and no character of the text has a meaning.
const AFTER_PREFIX = "?1 || char(0x10ffff)";
const PREFIX = `
  SELECT task_id FROM tasks WHERE task_id >= ?1 AND task_id < ${AFTER_PREFIX}
  UNION
  SELECT root_task_id FROM runs WHERE run_id >= ?1 AND run_id < ${AFTER_PREFIX}
  LIMIT ${CANDIDATES_MAX}`;

function select(database: Database, sql: string, text: string): TaskId[] {
  return database
    .query<{ task_id: TaskId }, [string]>(sql)
    .all(text)
    .map((row) => row.task_id);
}
