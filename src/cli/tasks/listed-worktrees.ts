import { AppError } from "../../core/errors.ts";
import type { TaskId } from "../../core/task.ts";
import { WORKTREE_FOLDER } from "../../engine/worktree/worktree-folder.ts";
import { isWorktreeThere, readWorktreeRecord } from "../../engine/worktree/worktree-record.ts";
import type { TaskSummaryRow } from "../../store/ledger-rows.ts";

/** What a list shows of the worktree of a task. */
export interface ListedWorktree {
  readonly path: string;
  readonly branch: string;
  /** Whether it is there. */
  readonly kept: boolean;
}

/** The worktrees of those tasks that work in one of their own, by the ids of the tasks. Looks at no other tasks. */
export function listedWorktrees(tasks: readonly TaskSummaryRow[], statePath: string): ReadonlyMap<TaskId, ListedWorktree> {
  // The state folder may be reached by a link; the name of the folder in it is the same.
  const isolated = tasks.filter(({ cwd }) => cwd.includes(`/${WORKTREE_FOLDER}/`));
  return new Map(isolated.flatMap(({ id }) => {
    const worktree = worktreeOf(id, statePath);
    return worktree === undefined ? [] : [[id, worktree] as const];
  }));
}

/** What cannot be read is not shown; the commands that need it say why. */
function worktreeOf(id: TaskId, statePath: string): ListedWorktree | undefined {
  try {
    const record = readWorktreeRecord(statePath, id);
    if (record === undefined) return undefined;
    const { path, branch } = record.outcome ?? record.worktree;
    return { path, branch, kept: isWorktreeThere(record) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return undefined;
  }
}
