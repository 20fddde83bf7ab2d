import { AppError } from "../../core/errors.ts";
import { printedBytes } from "../../core/printed-bytes.ts";
import type { TaskOutputReader } from "../../core/task-output.ts";
import { isTerminalTaskStatus, type TaskId } from "../../core/task.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import { createTaskWatch } from "../../runtime/task-watch.ts";
import { openOutput } from "../../store/open-output.ts";
import type { OutputState } from "./follow-output.ts";

/** The output of a task, open for reading. */
export interface OpenLog {
  readonly reader: TaskOutputReader;
  /** Whether it is the transcript of an agent. */
  readonly isTranscript: boolean;
  /** Whether the task is over, so that nobody adds to the output any more. */
  readonly look: () => Promise<OutputState>;
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
    return {
      isComplete: task === undefined || isTerminalTaskStatus(task.status),
      isTranscript: task?.detail["transcriptPath"] !== undefined,
      printedBytes: task === undefined ? undefined : printedBytes(task),
    };
  };
  for (;;) {
    const { isComplete, isTranscript } = await look();
    try {
      const reader = openOutput(store.directory, id);
      return { reader, isTranscript, look, close: reader.close };
    } catch (error) {
      if (isComplete || !(error instanceof AppError) || error.code !== "no_output") throw error;
    }
    if (!options.isFollowing) return undefined;
    await Bun.sleep(POLL_MS);
  }
}
