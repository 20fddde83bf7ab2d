import type { z } from "zod";
import type { Exit } from "./exit-code.ts";
import type { Message } from "./message.ts";
import type { TaskId, TerminalTaskStatus } from "./task.ts";
import type { taskStateBaseSchema } from "./task-schema.ts";

/** What every kind of task records. Times are milliseconds since the epoch. */
export type TaskStateBase = Omit<z.infer<ReturnType<typeof taskStateBaseSchema>>, "id" | "parentTaskId"> & {
  id: TaskId;
  parentTaskId?: TaskId | undefined;
};

/** One attempt at a task: the base fields and what its kind adds. */
export interface TaskState extends Readonly<TaskStateBase> {
  readonly detail: TaskDetail;
  /** What only a viewer of the task needs; in memory alone. Shells have none. */
  readonly mirror?: TaskMirror;
}

/** The in-memory part of a task that somebody may look at. It survives a re-registration of the task. */
export interface TaskMirror {
  /** Keep the task in memory after its end while somebody looks at it. */
  readonly retain: boolean;
  /** From this time on a retained task may go; absent while it is still looked at. */
  readonly evictAfter?: number;
  /** The latest messages; the transcript on disk has all of them. */
  readonly messages: readonly Message[];
  readonly isLoadedFromDisk: boolean;
  /** Messages that wait for the next turn. */
  readonly pendingMessages: readonly string[];
}

/** What a running task does, reduced to the one thing that others may do to it. */
export interface RunningEffect {
  /** Ends the effect; resolves once it has ended. The framework writes the status. */
  stop(): Promise<void>;
}

/**
 * The part of a record that belongs to its kind. The kind's schema describes it; outside the kind it is opaque, so that
 * a record whose kind this build lacks stays readable.
 */
export type TaskDetail = Readonly<Record<string, unknown>>;

/** All tasks of a run that are in memory, of every kind, by id. */
export interface AppState {
  readonly tasks: Readonly<Record<string, TaskState>>;
  /**
   * What is being done right now for the running tasks, by task id. Nothing that anybody looks at: one map that changes
   * instead of one that is replaced.
   */
  readonly effects: Map<TaskId, RunningEffect>;
}

/** Replaces the state by what `update` returns; the same reference means no change. */
export type SetAppState = (update: (state: AppState) => AppState) => void;

/** How an attempt ends. */
export interface TaskEnding {
  readonly status: TerminalTaskStatus;
  readonly exit: Exit;
  /** For people: what went wrong. Absent on success. */
  readonly error?: string;
  /** Replaces these fields of the detail, in the same transaction. */
  readonly detail?: TaskDetail;
}
