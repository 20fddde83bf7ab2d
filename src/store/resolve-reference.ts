import type { Database } from "bun:sqlite";
import type { TaskId } from "../core/task.ts";
import { AFTER_PREFIX, CANDIDATES_MAX, matchReference } from "./match-reference.ts";

/**
 * The tasks that a user's text means. The first kind of name that fits decides: task id, run id, session id (both: the
 * root task), the name of a task (its newest bearer, one that a
 * user named before one that a model named), the beginning of a task or run id.
 *
 * @returns nothing when no task is meant; several, 20 at most, when the beginning is not unique
 */
export function resolveReference(database: Database, text: string): TaskId[] {
  return matchReference<{ task_id: TaskId }>(database, text, { exact: [TASK_ID, RUN_ID, SESSION_ID, NAME], prefix: PREFIX }).map((row) => row.task_id);
}

const TASK_ID = "SELECT task_id FROM tasks WHERE task_id = ?1 LIMIT 1";
const RUN_ID = "SELECT root_task_id AS task_id FROM runs WHERE run_id = ?1";
/** An agent that another one has started may be the root of a run in the same session. */
const SESSION_ID = `
  SELECT DISTINCT root_task_id AS task_id FROM runs
  WHERE session_id = ?1 AND NOT EXISTS (SELECT 1 FROM tasks WHERE tasks.task_id = runs.root_task_id AND parent_task_id IS NOT NULL)
  LIMIT ${CANDIDATES_MAX}`;
const NAME = "SELECT task_id FROM tasks WHERE name = ?1 ORDER BY parent_task_id IS NOT NULL, start_time DESC, rowid DESC LIMIT 1";
const PREFIX = `
  SELECT task_id FROM tasks WHERE task_id >= ?1 AND task_id < ${AFTER_PREFIX}
  UNION
  SELECT root_task_id FROM runs WHERE run_id >= ?1 AND run_id < ${AFTER_PREFIX}
  LIMIT ${CANDIDATES_MAX}`;
