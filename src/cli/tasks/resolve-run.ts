import { AppError } from "../../core/errors.ts";
import type { RunRow } from "../../store/ledger-rows.ts";
import type { Ledger } from "../../store/ledger.ts";
import { unknownTask } from "./resolve-task-reference.ts";

/**
 * The run that a user's text means: a run, or the latest one of a task or a session. Without text the latest of all.
 *
 * Throws an `AppError`: `not_found` when no run is meant, `usage` when several are.
 */
export function resolveRun(text: string | undefined, ledger: Ledger): RunRow {
  const [id, ...others] = text === undefined ? [ledger.latestRunId()] : ledger.resolveRunReference(text);
  if (others.length > 0) throw new AppError("usage", `"${text ?? ""}" is not one run but several: ${[id, ...others].join(", ")}`, { code: "ambiguous" });
  const run = id === undefined ? undefined : ledger.getRun(id);
  if (run !== undefined) return run;
  throw text === undefined ? noRun() : unknownTask(text);
}

export function noRun(): AppError {
  return new AppError("not_found", "No run is on record yet", { code: "no_run" });
}
