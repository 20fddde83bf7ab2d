import { closeSync } from "node:fs";
import { AppError } from "../../core/errors.ts";
import { isTerminalTaskStatus, type TaskId } from "../../core/task.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import { createTaskWatch } from "../../runtime/task-watch.ts";
import { openOutput } from "../../store/open-output.ts";

/** The output file of a task, open for reading. */
export interface OpenLog {
  readonly fd: number;
  /** Whether it is the transcript of an agent. */
  readonly isTranscript: boolean;
  /** Whether the task is over, so that nobody writes to the file any more. */
  readonly isComplete: () => Promise<boolean>;
  close(): void;
}

const POLL_MS = 50;

/**
 * Opens the output of a task. Undefined where a living task has written nothing yet, unless that is waited for.
 *
 * Rejects with an `AppError`: `not_found` when the task is over and has no output, `storage` when it cannot be read.
 */
export async function openLog(id: TaskId, store: TaskStore, options: { readonly isFollowing: boolean }): Promise<OpenLog | undefined> {
  const watch = createTaskWatch(store);
  const look = async () => {
    const [task] = await watch.look([id]);
    return { isOver: task === undefined || isTerminalTaskStatus(task.status), isTranscript: task?.detail["transcriptPath"] !== undefined };
  };
  for (;;) {
    const { isOver, isTranscript } = await look();
    try {
      const fd = openOutput(store.directory, id);
      return { fd, isTranscript, isComplete: async () => (await look()).isOver, close: () => closeSync(fd) };
    } catch (error) {
      if (isOver || !(error instanceof AppError) || error.code !== "no_output") throw error;
    }
    if (!options.isFollowing) return undefined;
    await Bun.sleep(POLL_MS);
  }
}
