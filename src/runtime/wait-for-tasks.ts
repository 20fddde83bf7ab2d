import { AppError } from "../core/errors.ts";
import type { TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";
import type { TaskStore } from "./open-task-store.ts";
import { createEndWatch } from "./end-watch.ts";
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
  using ends = createEndWatch(store);
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  for (let delay = POLL_MIN_MS; ; delay = Math.min(POLL_MAX_MS, delay * 1.5)) {
    const tasks = await watch.look(ids);
    const running = tasks.filter((task) => !isTerminalTaskStatus(task.status));
    if (until === "any" ? running.length < tasks.length : running.length === 0) return tasks.filter((task) => !running.includes(task));
    const leftMs = deadline - performance.now();
    if (leftMs <= 0) throw stillRunning(running, timeoutMs ?? 0);
    await ends.wait(running, { pollMs: delay, leftMs });
  }
}

function stillRunning(running: readonly TaskState[], timeoutMs: number): AppError {
  return new AppError("timeout", `Gave up waiting after ${timeoutMs / 1_000} s: still running: ${running.map((task) => `"${task.id}"`).join(", ")}`);
}
