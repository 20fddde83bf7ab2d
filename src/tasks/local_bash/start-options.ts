import type { TaskHost } from "../../core/task-host.ts";
import type { TaskId } from "../../core/task.ts";

export interface StartShellOptions {
  /** For the shell; where `argv` is given, for people alone. */
  readonly command: string;
  /** A program and its arguments, to be run without a shell. */
  readonly argv?: readonly string[];
  readonly cwd: string;
  readonly description: string;
  readonly host: TaskHost;
  /** False while the caller waits: no notification is due, and output is kept in memory for the caller. */
  readonly isBackgrounded: boolean;
  readonly parentTaskId?: TaskId;
  /** Of the agent that starts it, within its run; absent for what no agent starts. */
  readonly agentDepth?: number;
  readonly toolUseId?: string;
  readonly name?: string;
  readonly kind?: "monitor";
  /** No limit unless given. */
  readonly timeoutMs?: number;
  /** Gets the output as it arrives. A promise slows the command down until it resolves. */
  readonly onChunk?: (bytes: Uint8Array) => void | Promise<void>;
  /** Between the polite and the forced end. 5 s unless given. */
  readonly graceMs?: number;
}
