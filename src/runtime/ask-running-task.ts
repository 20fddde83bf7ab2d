import { AppError } from "../core/errors.ts";
import { aliveTask } from "./alive-task.ts";
import { askOwner, isUnanswered, type OwnerQuestion } from "./ask-owner.ts";
import { reapLostOwner } from "./reap-lost-owner.ts";
import { unanswered } from "./unanswered.ts";

/**
 * Asks for something about a running task, through the process that owns it, and resolves with the answer.
 *
 * Rejects with an `AppError`: `not_found`; `conflict` with code `not_running` when the task has ended, on its own or with
 * its owner, and with code `no_answer` when the owner lives and does not answer; or with what the owner answered.
 *
 * @param params.action as in `Cannot interrupt task "…"`
 */
export async function askRunningTask({ action, ...question }: Omit<OwnerQuestion, "run"> & { readonly action: string }): Promise<unknown> {
  const { id, store } = question;
  const { run } = aliveTask(id, store, action);
  try {
    return await askOwner({ ...question, run });
  } catch (error) {
    if (!(error instanceof AppError) || !isUnanswered(error)) throw error;
    await reapLostOwner(run, store);
    aliveTask(id, store, action);
    throw unanswered({ id, run, action, failure: error });
  }
}
