import { AppError } from "../core/errors.ts";
import type { TaskId } from "../core/task.ts";
import { isHaltedBySignal } from "../platform/halted-process.ts";
import type { RunRow } from "../store/ledger-rows.ts";

/**
 * Says that the owner of a task lives and did not do what it was asked: `conflict` with code `no_answer`.
 *
 * @param params.action as in `Cannot stop task "…"`
 * @param params.failure why there is no answer
 * @param params.hint what else can be done
 */
export function unanswered(params: {
  readonly id: TaskId;
  readonly run: RunRow;
  readonly action: string;
  readonly failure: AppError;
  readonly hint?: string;
}): AppError {
  const { id, run, action, failure, hint } = params;
  const why = isHaltedBySignal(run.owner) ? "was halted by a signal" : `did not do it (${failure.message})`;
  const message = `Cannot ${action} task "${id}": the process of its run, ${run.owner.pid}, ${why}`;
  return new AppError("conflict", hint === undefined ? message : `${message}; ${hint}`, { code: "no_answer", cause: failure });
}
