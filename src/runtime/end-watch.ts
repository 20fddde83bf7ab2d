import { AppError } from "../core/errors.ts";
import type { TaskState } from "../core/task-state.ts";
import { createWakeup } from "../lib/wakeup.ts";
import type { TaskStore } from "./open-task-store.ts";
import { requestOwner } from "./request-owner.ts";

/** Learns of the end of tasks from the processes that own them, so that nobody has to look again and again. */
export interface EndWatch extends Disposable {
  /**
   * Resolves when the owner of a task says that it has ended, and otherwise when it is time to look.
   *
   * @param tasks running ones
   * @param options.pollMs when it is time to look where an owner cannot be asked
   * @param options.leftMs when it is time in any case
   */
  wait(tasks: readonly TaskState[], options: { readonly pollMs: number; readonly leftMs: number }): Promise<void>;
}

/** How long one question stays open. */
const QUESTION_MS = 600_000;
const ASK_AGAIN_MS = 1_000;
/** Every question is a connection. */
const QUESTIONS_MAX = 32;
/** An owner may die or be halted without a word. */
const LOOK_MS = 1_000;

export function createEndWatch(store: TaskStore): EndWatch {
  const closing = new AbortController();
  const answers = createWakeup();
  const asked = new Set<string>();
  const notBefore = new Map<string, number>();

  async function ask(task: TaskState): Promise<void> {
    const run = store.ledger.getRun(task.runId);
    if (run === undefined) return;
    asked.add(task.id);
    try {
      await requestOwner({ run, store, request: { op: "wait", task_id: task.id }, timeoutMs: QUESTION_MS, signal: closing.signal });
    } catch (error) {
      // An owner that cannot be asked is looked at instead.
      if (!(error instanceof AppError)) throw error;
    } finally {
      asked.delete(task.id);
      notBefore.set(task.id, performance.now() + ASK_AGAIN_MS);
      answers.wake();
    }
  }

  return {
    async wait(tasks, { pollMs, leftMs }) {
      const since = answers.count();
      for (const task of tasks) {
        const isDue = !asked.has(task.id) && performance.now() >= (notBefore.get(task.id) ?? 0);
        if (isDue && asked.size < QUESTIONS_MAX) void ask(task);
      }
      const timeoutMs = tasks.every(({ id }) => asked.has(id)) ? LOOK_MS : pollMs;
      await answers.wait({ since, signal: closing.signal, timeoutMs: Math.min(timeoutMs, leftMs) });
    },
    [Symbol.dispose]: () => closing.abort(),
  };
}
