import { AppError } from "../../core/errors.ts";
import type { TaskState } from "../../core/task-state.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import { openOutput } from "../../store/open-output.ts";
import { readOutputTail, type OutputTail } from "../../store/output-tail.ts";

/** What is shown of a shell's output when it is over. */
export const FINAL_OUTPUT_BYTES_MAX = 30_000;

/** What a task came to in words: an agent's last message, of everything else the end of its output. May be empty. */
export function finalMessage(task: TaskState, { directory }: TaskStore): OutputTail {
  const { result, transcriptPath } = task.detail;
  if (typeof result === "string" && result !== "") return { bytes: Buffer.from(result), omittedBytes: 0 };
  // The output of an agent is its transcript, which is no message.
  if (transcriptPath !== undefined) return NOTHING;
  try {
    const reader = openOutput(directory, task.id);
    try {
      const stretches = reader.stretches();
      return readOutputTail(stretches.at(-1) ?? stretches[0], FINAL_OUTPUT_BYTES_MAX);
    } finally {
      reader.close();
    }
  } catch (error) {
    if (error instanceof AppError && error.code === "no_output") return NOTHING;
    throw error;
  }
}

const NOTHING: OutputTail = { bytes: new Uint8Array(), omittedBytes: 0 };
