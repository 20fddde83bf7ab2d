import type { AgentEvent } from "../core/agent.ts";
import type { PermissionQuestion, PermissionReply } from "../core/permission.ts";
import type { TaskId } from "../core/task.ts";
import type { OnRunEvent } from "./run-events.ts";
import type { RunRequest } from "./run-request.ts";

export interface RunParams {
  readonly request: RunRequest;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends the run early; abort it with a `RunStop` as the reason. */
  readonly controller: AbortController;
  /** Aborted, with a `RunStop`, when there is to be no further turn: the one under way ends, and what works in the background is waited for as at every end. */
  readonly interruptSignal?: AbortSignal;
  /** Aborted when nobody wants to wait for a graceful end: what the run started is then ended at once. */
  readonly forceSignal?: AbortSignal;
  readonly observer: RunObserver;
  /**
   * Asks whoever watches the run about a call; absent where nobody does. Called for one question at a time. Resolves to
   * `unanswered` soon after the signal is aborted. Rejects for defects only.
   */
  readonly askUser?: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionReply>;
}

/** Who watches a run from inside its process. */
export interface RunObserver {
  /** The run is on record; it is worked on when the promise resolves. */
  readonly onRegistered?: (registered: RegisteredRun) => Promise<void> | void;
  readonly onEvent?: OnRunEvent;
  /** The agent goes on when the promise resolves: a slow reader slows the agent and nothing else. */
  readonly onAgentEvent?: (event: AgentEvent) => Promise<void> | void;
  /** Output of the command of a shell run, as it comes; the command is slowed until the promise resolves. */
  readonly onOutput?: (bytes: Uint8Array) => Promise<void> | void;
  /**
   * Takes the last message before the ending is on record. A run whose message could not be kept where it was asked for is
   * no success: throws an `AppError` then.
   */
  readonly onAnswer?: (text: string) => void;
  /** Something went wrong that did not stop the run. The result has it too. */
  readonly onWarning?: (text: string) => void;
  /** Somebody asked by signal what the run is doing: the answer, line by line. */
  readonly onStateAsked?: (line: string) => void;
}

export interface RegisteredRun {
  readonly taskId: TaskId;
  readonly runId: string;
  readonly sessionId: string;
  readonly outputFile: string;
  readonly eventsFile: string;
  /** Opens the file that takes the stderr of a run in the background. */
  readonly openLog: () => number;
}
