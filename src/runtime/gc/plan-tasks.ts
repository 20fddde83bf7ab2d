import { isTerminalTaskStatus, type TaskId } from "../../core/task.ts";
import { isWorktreeThere, readWorktreeRecord } from "../../engine/worktree/worktree-record.ts";
import type { TaskSummaryRow } from "../../store/ledger-rows.ts";
import type { TaskStore } from "../open-task-store.ts";
import { isSessionLive } from "./session-files.ts";

/** Which tasks go. */
export interface TaskPlanOptions {
  /** Milliseconds since the end of a task from which on it goes. */
  readonly olderMs: number;
  /** How many bytes are too many at the beginning; the oldest tasks go, whatever their age, until they are no longer. */
  readonly excessBytes: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** What goes with a task. */
  readonly bytesOf: (task: TaskSummaryRow) => number;
  /** Calls back with what kept a task from being looked at. */
  readonly onProblem: (text: string) => void;
}

/** The ended tasks that may go and shall, the oldest first. Nothing that somebody works on or has still to hear of. */
export function planTasks(tasks: readonly TaskSummaryRow[], store: TaskStore, options: TaskPlanOptions): TaskSummaryRow[] {
  const { now, olderMs, bytesOf, onProblem } = options;
  const spared = sparedTasks(tasks, store);
  const isLive = rememberedLiveness(store, now);
  let excessBytes = options.excessBytes;
  return endedOldestFirst(tasks).filter((task) => {
    if (now - (task.endTime ?? now) < olderMs && excessBytes <= 0) return false;
    if (spared.has(task.id)) return false;
    try {
      if (isLive(task.sessionId) || hasWorktree(task, store)) return false;
      excessBytes -= bytesOf(task);
      return true;
    } catch (error) {
      onProblem(`Task "${task.id}" stays: it cannot be looked at (${String(error)})`);
      return false;
    }
  });
}

/** What nobody has taken over or thrown away yet is found by its task. */
function hasWorktree({ id }: TaskSummaryRow, { paths }: TaskStore): boolean {
  const record = readWorktreeRecord(paths.state, id);
  return record !== undefined && isWorktreeThere(record);
}

function endedOldestFirst(tasks: readonly TaskSummaryRow[]): TaskSummaryRow[] {
  return tasks
    .filter((task) => isTerminalTaskStatus(task.status) && task.endTime !== undefined)
    .toSorted((a, b) => (a.endTime ?? 0) - (b.endTime ?? 0));
}

/** Tasks of whose end somebody has not heard, and those who have still to hear of something. */
function sparedTasks(tasks: readonly TaskSummaryRow[], { ledger }: TaskStore): ReadonlySet<TaskId> {
  const unread = tasks.filter((task) => isTerminalTaskStatus(task.status) && !task.notified);
  const addressed = tasks.filter((task) => ledger.pendingMessages(task.id).length > 0);
  return new Set([...unread, ...addressed].flatMap((task) => [task.id, ...(task.parentTaskId === undefined ? [] : [task.parentTaskId])]));
}

function rememberedLiveness(store: TaskStore, now: number): (sessionId: string) => boolean {
  const known = new Map(store.ledger.liveRuns().map((run) => [run.sessionId, true]));
  return (sessionId) => {
    const isLive = known.get(sessionId) ?? isSessionLive(sessionId, store, now);
    known.set(sessionId, isLive);
    return isLive;
  };
}
