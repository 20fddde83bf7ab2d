import { AppError } from "../../core/errors.ts";
import type { TaskId } from "../../core/task.ts";
import type { Ledger } from "../../store/ledger.ts";

/**
 * The task that a user's text means: an id, its beginning of four characters or more, a name, or the id of a run or of a
 * session.
 *
 * Throws an `AppError`: `not_found` when no task is meant, `usage` when several are.
 */
export function resolveTaskReference(text: string, ledger: Pick<Ledger, "resolveReference">): TaskId {
  const [id, ...others] = ledger.resolveReference(text);
  if (id === undefined) throw unknownTask(text);
  if (others.length === 0) return id;
  throw new AppError("usage", `"${text}" is not one task but several: ${[id, ...others].join(", ")}`, { code: "ambiguous" });
}

export function unknownTask(text: string): AppError {
  const hint = text.length < 4 ? "; the beginning of an id needs at least 4 characters" : "";
  return new AppError("not_found", `No task "${text}"${hint}; "agent ps -a" lists all`);
}

/** Throws an `AppError` of reason `usage` where a command was given no task. */
export function requireReferences(references: readonly string[]): readonly [string, ...string[]] {
  const [first, ...others] = references;
  if (first !== undefined) return [first, ...others];
  throw new AppError("usage", 'No task is named: give an id, a name or the beginning of an id; "agent ps" lists them', { code: "missing_task" });
}
