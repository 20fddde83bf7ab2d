import type { TaskId } from "../../core/task.ts";

/** What a garbage collection removed, or would remove. */
export interface GcReport {
  readonly tasks: readonly TaskId[];
  readonly sessions: readonly string[];
  /** Everything else, by paths below the state folder. */
  readonly files: readonly string[];
  /** Of all of it. */
  readonly bytes: number;
  /** What stays although it might have gone, and why: nothing is removed that cannot be looked at. */
  readonly problems: readonly string[];
}
