import type { TaskDetail } from "../core/task-state.ts";
import { isRecord } from "../lib/is-record.ts";

/** The worktree of a task as `run.result` tells of it, from the record; undefined where it had none. */
export function worktreeResult(detail: TaskDetail) {
  const { worktree } = detail;
  if (!isRecord(worktree)) return undefined;
  const { path, branch, base, changed, kept, reason, ref } = worktree;
  if (typeof path !== "string" || typeof branch !== "string" || typeof base !== "string") return undefined;
  return {
    path,
    branch,
    base,
    // What nobody has looked at may have changed, and is there.
    changed: changed !== false,
    kept: kept !== false,
    reason: typeof reason === "string" ? reason : "the run ended before anybody had looked",
    ref: typeof ref === "string" ? ref : null,
  };
}
