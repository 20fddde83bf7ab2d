import type { PermissionMode, PermissionRule } from "../core/permission.ts";
import type { TaskId } from "../core/task.ts";

/**
 * Everything that one run was asked to do, with flags, environment and settings resolved. Plain data: a launcher hands it
 * to the detached run process as JSON.
 */
export interface RunRequest {
  readonly work: AgentWork | ShellWork;
  readonly name?: string;
  /** Absolute, real path. */
  readonly cwd: string;
  /** `cwd` first, then every added directory; absolute, real paths. */
  readonly directories: readonly string[];
  readonly isBackgrounded: boolean;
  readonly timeoutMs?: number;
  /** The most bytes of output that are kept for one task. */
  readonly outputBytesMax: number;
  /** The most bytes of output that are kept for all its tasks together. */
  readonly runOutputBytesMax: number;
  /** What is to be told with the result although it stopped nothing. */
  readonly warnings: readonly string[];
}

/** A conversation with a model. */
export interface AgentWork {
  readonly type: "agent";
  /** Empty where a conversation goes on with what waits for it on record. */
  readonly prompt: string;
  /** After aliases. */
  readonly model: string;
  readonly permissionMode: PermissionMode;
  readonly rules: readonly PermissionRule[];
  readonly turnsMax: number;
  readonly outputTokensMax: number;
  readonly apiAttemptsMax: number;
  /** Whether the first refused call ends the run. */
  readonly stopOnDenial: boolean;
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly background: BackgroundPolicy;
  /** The conversation to go on with; a new one unless given. */
  readonly resume?: ResumedTask;
}

/** What happens to background work when the model has ended its turn. */
export interface BackgroundPolicy {
  readonly onEnd: "wait" | "kill";
  /** How long counted work is waited for. */
  readonly drainTimeoutMs: number;
}

/** The attempt that a resumed run opens. */
export interface ResumedTask {
  readonly taskId: TaskId;
  readonly attempt: number;
  readonly sessionId: string;
  readonly description: string;
}

/** A command that the user gave with `--exec`. */
export interface ShellWork {
  readonly type: "shell";
  /** At least one element. */
  readonly argv: readonly string[];
}

/** Why a run is ended from outside its work. The reason of the run's abort signal. */
export interface RunStop {
  readonly reason: "interrupted" | "terminated" | "hangup" | "timeout" | "killed" | "epipe" | "storage";
  readonly message: string;
}

/** The stop that somebody asked for by the id of the root task. */
export const STOPPED_ON_REQUEST: RunStop = { reason: "killed", message: "Stopped on request" };

/** The stop in the reason of an abort signal. Whoever aborts without one asked for a stop as well. */
export function runStopOf(abortReason: unknown): RunStop {
  return isRunStop(abortReason) ? abortReason : STOPPED_ON_REQUEST;
}

function isRunStop(value: unknown): value is RunStop {
  return typeof value === "object" && value !== null && "reason" in value && "message" in value;
}
