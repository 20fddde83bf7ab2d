import { openTaskStore, type TaskStore } from "../../runtime/open-task-store.ts";
import type { CliIo } from "../command.ts";

/**
 * Lends the state of this user's tasks to a command and closes it behind it. Rejects as `openTaskStore` and `use`.
 *
 * @param use gets undefined where no task was ever recorded
 */
export async function withTaskStore<Value>(io: CliIo, use: (store: TaskStore | undefined) => Promise<Value>): Promise<Value> {
  const store = await openTaskStore({ env: io.env, onWarning: (text) => void io.stderr.write(`agent: ${text}\n`) });
  try {
    return await use(store);
  } finally {
    store?.close();
  }
}
