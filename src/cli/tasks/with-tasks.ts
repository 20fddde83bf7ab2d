import type { ExitCode } from "../../core/exit-code.ts";
import type { TaskId } from "../../core/task.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import type { CliIo } from "../command.ts";
import { requireReferences, resolveTaskReference, unknownTask } from "./resolve-task-reference.ts";
import { withTaskStore } from "./with-task-store.ts";

/**
 * Lends the state to a command that is about tasks which the user named. Rejects with the `AppError` of the first
 * reference that means none.
 *
 * @param references at least one
 * @param use gets the ids in the order of the references, each once
 */
export async function withTasks(
  io: CliIo,
  references: readonly string[],
  use: (store: TaskStore, ids: readonly [TaskId, ...TaskId[]]) => Promise<ExitCode>,
): Promise<ExitCode> {
  const [first, ...others] = requireReferences(references);
  return await withTaskStore(io, async (store) => {
    if (store === undefined) throw unknownTask(first);
    const firstId = resolveTaskReference(first, store.ledger);
    const otherIds = new Set(others.map((text) => resolveTaskReference(text, store.ledger)));
    otherIds.delete(firstId);
    return await use(store, [firstId, ...otherIds]);
  });
}
