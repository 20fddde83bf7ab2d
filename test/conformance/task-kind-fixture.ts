import type { RunEventBody } from "../../src/core/stream-event.ts";
import type { TaskHost } from "../../src/core/task-host.ts";
import type { TaskState } from "../../src/core/task-state.ts";
import type { TaskId } from "../../src/core/task.ts";
import type { TaskKind } from "../../src/tasks/task-kind.ts";

/** What a kind of task brings along to be tested. */
export interface TaskKindFixture {
  readonly kind: TaskKind;
  /** Opens a run in a state folder in which tasks of the kind can be started. */
  open(statePath: string): Promise<TaskKindWorld>;
  /** What resuming a task comes to: fields of its record, or of the error where the kind has nothing to go on with. */
  readonly afterResume: { readonly status: "completed"; readonly attempt: 2 } | { readonly reason: "usage"; readonly code: string };
}

/**
 * - `succeeding`: writes "conformance" to its output and ends well
 * - `failing`: ends badly by itself
 * - `endless`: writes "conformance" to its output and goes on until it is stopped
 */
export type Work = "succeeding" | "failing" | "endless";

/** A run that can start tasks of one kind. */
export interface TaskKindWorld extends AsyncDisposable {
  readonly host: Pick<TaskHost, "getAppState" | "setAppState">;
  readonly events: readonly RunEventBody[];
  /** Who is told of the end of its tasks; undefined where they are nobody's. */
  readonly parent: TaskId | undefined;
  /** Starts a piece of work in the background. */
  start(work: Work): Promise<TaskId>;
  /** Stops it for whoever started it. Rejects with an `AppError` where it does not run. */
  stop(id: TaskId): Promise<void>;
  /** Goes on with a task that has ended. Resolves to its record at the end, or rejects with an `AppError`. */
  resume(id: TaskId): Promise<TaskState>;
}
