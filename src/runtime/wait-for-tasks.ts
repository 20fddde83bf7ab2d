import { AppError } from "../core/errors.ts";
import type { TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import type { TaskStore } from "./open-task-store.ts";
import { createTaskWatch } from "./task-watch.ts";

const POLL_MIN_MS = 25;
const POLL_MAX_MS = 100;

/**
 * Waits until tasks are terminal.
 *
 * Rejects with an `AppError`: `timeout`, and `not_found` when one of them was removed.
 *
 * @param params.until `any`: one of them is enough
 * @param params.timeoutMs no limit unless given
 * @returns the terminal ones, in the order of `ids`
 */
export async function waitForTasks(params: {
  readonly store: TaskStore;
  readonly ids: readonly TaskId[];
  readonly until: "all" | "any";
  readonly timeoutMs?: number | undefined;
}): Promise<TaskState[]> {
  const { store, ids, until, timeoutMs } = params;
  const watch = createTaskWatch(store);
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  for (let delay = POLL_MIN_MS; ; delay = Math.min(POLL_MAX_MS, delay * 1.5)) {
    const tasks = await watch.look(ids);
    const ended = tasks.filter((task) => isTerminalTaskStatus(task.status));
    if (until === "any" ? ended.length > 0 : ended.length === ids.length) return ended;
    const left = deadline - performance.now();
    if (left <= 0) throw stillRunning(tasks, timeoutMs ?? 0);
    await Bun.sleep(Math.min(delay, left));
  }
}

function stillRunning(tasks: readonly TaskState[], timeoutMs: number): AppError {
  const running = tasks.filter((task) => !isTerminalTaskStatus(task.status)).map((task) => `"${task.id}"`);
  return new AppError("timeout", `Gave up waiting after ${timeoutMs / 1_000} s: still running: ${running.join(", ")}`);
}
