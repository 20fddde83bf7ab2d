import type { AppState, SetAppState, TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId } from "../core/task.ts";

/**
 * Drops a task from memory once nothing needs it there: it is terminal, its notice has been given, no viewer holds it,
 * and no task that it started still runs. The record and the output stay on disk.
 *
 * @param now milliseconds since the epoch
 */
export function evictTerminalTask(id: TaskId, setAppState: SetAppState, now: number): void {
  evictTerminalTasks([id], setAppState, now);
}

/** The same for several at once, which takes as long as for one. */
export function evictTerminalTasks(ids: readonly TaskId[], setAppState: SetAppState, now: number): void {
  setAppState((state) => {
    const parents = parentsOfRunning(state);
    const evicted = new Set(withAncestors(ids, state).filter((task) => canEvict(task, now) && !parents.has(task.id)).map((task) => task.id));
    if (evicted.size === 0) return state;
    return { ...state, tasks: Object.fromEntries(Object.entries(state.tasks).filter(([, task]) => !evicted.has(task.id))) };
  });
}

/** Whoever ends is looked for upwards: a notice goes to the nearest ancestor that lives. */
function parentsOfRunning({ tasks }: AppState): ReadonlySet<TaskId> {
  const running = Object.values(tasks).filter((task) => !isTerminalTaskStatus(task.status));
  return new Set(running.flatMap((task) => ancestorsOf(task, tasks)).map((task) => task.id));
}

/** What was kept for a task that leaves may leave with it. */
function withAncestors(ids: readonly TaskId[], { tasks }: AppState): TaskState[] {
  return ids.flatMap((id) => {
    const task = tasks[id];
    return task === undefined ? [] : [task, ...ancestorsOf(task, tasks)];
  });
}

function ancestorsOf(task: TaskState, tasks: AppState["tasks"]): TaskState[] {
  const ancestors = new Set<TaskState>();
  for (let parent = parentOf(task, tasks); parent !== undefined && !ancestors.has(parent); parent = parentOf(parent, tasks)) ancestors.add(parent);
  return [...ancestors];
}

function parentOf({ parentTaskId }: TaskState, tasks: AppState["tasks"]): TaskState | undefined {
  return parentTaskId === undefined ? undefined : tasks[parentTaskId];
}

function canEvict(task: TaskState, now: number): boolean {
  if (!isTerminalTaskStatus(task.status) || !task.notified) return false;
  return task.mirror === undefined || !task.mirror.retain || (task.mirror.evictAfter ?? Number.POSITIVE_INFINITY) <= now;
}
