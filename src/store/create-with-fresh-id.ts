import { AppError, systemErrorCode } from "../core/errors.ts";
import type { TaskId, TaskType } from "../core/task.ts";
import { generateTaskId } from "../platform/task-id.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";

const ATTEMPTS_MAX = 10;

/**
 * Creates something under a new task id, and takes another id where that name is taken: ids may collide, and somebody may
 * have put something there.
 *
 * Throws what `create` throws, but for EEXIST; after 10 taken ids an `AppError` of reason `storage`.
 *
 * @returns what `create` returned
 */
export function createWithFreshId<Value>(
  type: TaskType,
  create: (id: TaskId) => Value,
  generate: (type: TaskType) => TaskId = generateTaskId,
): Value {
  let taken: unknown;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    try {
      const created = create(generate(type));
      if (TEST_HOOKS) crashPoint("output-created");
      return created;
    } catch (error) {
      if (systemErrorCode(error) !== "EEXIST") throw error;
      taken = error;
    }
  }
  throw new AppError("storage", `Cannot create a task of type "${type}": ${ATTEMPTS_MAX} ids in a row were taken`, { code: "ids_taken", cause: taken });
}
