import type { TaskId } from "../core/task.ts";

/** The bytes that all outputs of a run may have together. */
export interface OutputBudget {
  readonly left: number;
  take(bytes: number): void;
  giveBack(bytes: number): void;
  /** Bytes of a task were lost because nothing is left. */
  reportLoss(id: TaskId, bytesLost: number): void;
}

/** The outputs of a run have reached their limit. */
export interface BudgetReached {
  /** Whose output was the first to be lost. */
  readonly id: TaskId;
  /** Of all tasks. */
  readonly bytesKept: number;
  /** Now; more will follow. */
  readonly bytesLost: number;
}

/** @param options.onReached called at the first loss; later ones tell nothing new */
export function createOutputBudget(options: { readonly bytesMax: number; readonly onReached: (reached: BudgetReached) => void }): OutputBudget {
  let left = options.bytesMax;
  let isReported = false;
  return {
    get left() {
      return left;
    },
    take(bytes) {
      left -= bytes;
    },
    giveBack(bytes) {
      left += bytes;
    },
    reportLoss(id, bytesLost) {
      if (isReported) return;
      isReported = true;
      options.onReached({ id, bytesKept: options.bytesMax - left, bytesLost });
    },
  };
}
