import { symlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { AppError } from "../core/errors.ts";
import type { TaskOutputs } from "../core/task-output.ts";
import { openExclusiveFile } from "../platform/exclusive-file.ts";
import type { StateDirectory } from "../platform/state-directory.ts";
import type { WriteSync } from "../platform/write-fully.ts";
import { openOutput } from "./open-output.ts";
import { type BudgetReached, createOutputBudget } from "./output-budget.ts";
import { outputLimits } from "./output-limits.ts";
import { outputName } from "./output-names.ts";
import { createOutputWriter } from "./output-writer.ts";

export interface TaskOutputsOptions {
  /** The most bytes of one task that are kept; a note of about a hundred bytes comes on top where more were printed. */
  readonly bytesMax: number;
  /** The most bytes of all tasks together; no limit unless given. */
  readonly runBytesMax?: number;
  /** Called once, when output is lost because of `runBytesMax`. */
  readonly onRunLimit?: (reached: BudgetReached) => void;
  /** Called with the first failure of each output. */
  readonly onFailure?: (failure: AppError) => void;
  /** The system call, for tests. */
  readonly write?: WriteSync;
}

/** The output files of a state folder, for their one writer. */
export function openTaskOutputs(directory: StateDirectory, options: TaskOutputsOptions): TaskOutputs {
  const { onRunLimit = () => undefined, onFailure = () => undefined, write = writeSync } = options;
  const { tasks } = directory;
  const limits = outputLimits(options.bytesMax);
  const budget = createOutputBudget({ bytesMax: options.runBytesMax ?? Number.MAX_SAFE_INTEGER, onReached: onRunLimit });
  return {
    path: (id) => join(tasks.path, outputName(id)),
    create: (id) => createOutputWriter({ id, directory: tasks, headFd: openExclusiveFile(tasks, outputName(id)), limits, budget, write, onFailure }),
    link: (id, target) => symlinkSync(target, tasks.entry(outputName(id))),
    read: (id) => openOutput(directory, id),
  };
}
