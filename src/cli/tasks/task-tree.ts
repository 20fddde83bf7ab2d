import type { TaskBaseRow } from "../../store/ledger-rows.ts";

/** A task with its place in the tree of who started whom. */
export interface TreeRow<Task> {
  readonly task: Task;
  /** How many of the tasks listed are above it. */
  readonly depth: number;
}

/**
 * Puts each task behind its parent. Siblings stay in their order; a task whose parent is not among those given stands at
 * the top.
 */
export function taskTree<Task extends Pick<TaskBaseRow, "id" | "parentTaskId">>(tasks: readonly Task[]): TreeRow<Task>[] {
  const ids = new Set<string>(tasks.map((task) => task.id));
  const childrenOf = Map.groupBy(tasks, ({ parentTaskId }) => (parentTaskId !== undefined && ids.has(parentTaskId) ? parentTaskId : undefined));

  // Not by recursion: a damaged record must not be able to exhaust the stack.
  const rows: TreeRow<Task>[] = [];
  const waiting = rowsAt(0, childrenOf.get(undefined));
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    rows.push(row);
    waiting.push(...rowsAt(row.depth + 1, childrenOf.get(row.task.id)));
  }
  return rows;
}

/** Last first, as a stack wants them. */
function rowsAt<Task>(depth: number, tasks: readonly Task[] = []): TreeRow<Task>[] {
  return tasks.map((task) => ({ task, depth })).toReversed();
}
