/** Isolation of a task of this run, loaded only where it was asked for. */
export const loadIsolation = () => import("./isolate-task.ts");

/** What looks at a worktree that was left. */
export const loadWorktreeEnd = () => import("./finish-worktree.ts");
