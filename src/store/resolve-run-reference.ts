import type { Database } from "bun:sqlite";
import { AFTER_PREFIX, CANDIDATES_MAX, matchReference } from "./match-reference.ts";

/**
 * The runs that a user's text means. It is understood as by `resolveReference`; a task and a session stand for their
 * latest run.
 *
 * @returns nothing when no run is meant; several, 20 at most, when the beginning is not unique
 */
export function resolveRunReference(database: Database, text: string): string[] {
  return matchReference<{ run_id: string }>(database, text, { exact: [TASK_ID, RUN_ID, SESSION_ID, NAME], prefix: PREFIX }).map((row) => row.run_id);
}

/** The id of the run that began last. */
export function latestRunId(database: Database): string | undefined {
  return database.query<{ run_id: string }, []>("SELECT run_id FROM runs ORDER BY created_at DESC, rowid DESC LIMIT 1").get()?.run_id;
}

const TASK_ID = "SELECT run_id FROM tasks WHERE task_id = ?1 ORDER BY attempt DESC LIMIT 1";
const RUN_ID = "SELECT run_id FROM runs WHERE run_id = ?1";
const SESSION_ID = "SELECT run_id FROM runs WHERE session_id = ?1 ORDER BY created_at DESC, rowid DESC LIMIT 1";
const NAME = "SELECT run_id FROM tasks WHERE name = ?1 ORDER BY start_time DESC, rowid DESC LIMIT 1";
const PREFIX = `
  SELECT run_id FROM tasks
  WHERE task_id >= ?1 AND task_id < ${AFTER_PREFIX}
    AND NOT EXISTS (SELECT 1 FROM tasks AS newer WHERE newer.task_id = tasks.task_id AND newer.attempt > tasks.attempt)
  UNION
  SELECT run_id FROM runs WHERE run_id >= ?1 AND run_id < ${AFTER_PREFIX}
  LIMIT ${CANDIDATES_MAX}`;
