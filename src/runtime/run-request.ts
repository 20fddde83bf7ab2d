import type { PermissionMode, PermissionRule } from "../core/permission.ts";

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
  /** What is to be told with the result although it stopped nothing. */
  readonly warnings: readonly string[];
}

/** A conversation with a model. */
export interface AgentWork {
  readonly type: "agent";
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
}

/** A command that the user gave with `--exec`. */
export interface ShellWork {
  readonly type: "shell";
  /** At least one element. */
  readonly argv: readonly string[];
}

/** Why a run is ended from outside its work. The reason of the run's abort signal. */
export interface RunStop {
  readonly reason: "interrupted" | "terminated" | "hangup" | "timeout" | "killed" | "epipe";
  readonly message: string;
}

export function isRunStop(value: unknown): value is RunStop {
  return typeof value === "object" && value !== null && "reason" in value && "message" in value;
}
