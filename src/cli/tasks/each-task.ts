import { AppError } from "../../core/errors.ts";
import { EXIT_CODES, type ExitCode } from "../../core/exit-code.ts";
import type { TaskId } from "../../core/task.ts";
import { visibleText } from "../../lib/visible-text.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import type { CliIo } from "../command.ts";
import { resolveTaskReference, unknownTask } from "./resolve-task-reference.ts";
import { withTaskStore } from "./with-task-store.ts";

/**
 * Does something to every task that the user named, all at once, and tells of every failure in their order.
 *
 * @param params.references what the user called the tasks, or what to make of the state
 * @param prepare makes what is done to each task
 * @returns the exit status of the first failure
 */
export async function eachTask(
  params: { readonly io: CliIo; readonly references: readonly string[] | ((store: TaskStore) => readonly string[]) },
  prepare: (store: TaskStore) => (id: TaskId) => Promise<void>,
): Promise<ExitCode> {
  const { io } = params;
  return await withTaskStore(io, async (store) => {
    const references = typeof params.references !== "function" ? params.references : store === undefined ? [] : params.references(store);
    const action = store === undefined ? undefined : prepare(store);
    const outcomes = await Promise.allSettled(
      [...new Set(references)].map(async (text) => {
        if (store === undefined || action === undefined) throw unknownTask(text);
        await action(resolveTaskReference(text, store.ledger));
      }),
    );
    return await report(outcomes, io);
  });
}

async function report(outcomes: readonly PromiseSettledResult<void>[], io: CliIo): Promise<ExitCode> {
  const failures = outcomes.filter((outcome) => outcome.status === "rejected").map((outcome): unknown => outcome.reason);
  const codes: ExitCode[] = [];
  for (const error of failures) {
    if (!(error instanceof AppError)) throw error;
    await io.stderr.write(`agent: ${visibleText(error.message)}\n`);
    codes.push(EXIT_CODES[error.reason]);
  }
  return codes[0] ?? EXIT_CODES.ok;
}
