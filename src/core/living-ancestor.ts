import { isTerminalTaskStatus, type TaskId, type TaskStatus } from "./task.ts";

interface Node {
  readonly id: TaskId;
  readonly status: TaskStatus;
  readonly parentTaskId?: TaskId | undefined;
}

/**
 * Who is told of a task in the place of a parent that has ended: the nearest ancestor that is alive. Undefined where
 * none is; the parent then learns of it when it is resumed.
 *
 * @param tasks by id; an ancestor that is not among them counts as ended
 */
export function nearestLivingAncestor(task: Pick<Node, "parentTaskId">, tasks: Readonly<Record<string, Node>>): TaskId | undefined {
  const seen = new Set<TaskId>();
  let id = task.parentTaskId;
  while (id !== undefined && !seen.has(id)) {
    seen.add(id);
    const ancestor = tasks[id];
    if (ancestor === undefined) return undefined;
    if (!isTerminalTaskStatus(ancestor.status)) return id;
    id = ancestor.parentTaskId;
  }
  return undefined;
}
