import type { ProcessIdentity } from "../../core/task-host.ts";
import { endSession } from "../../platform/end-session.ts";
import type { ProcessEntry } from "../../platform/process-session.ts";

/** What ended a shell before it ended by itself. */
export type Interruption =
  | { readonly type: "stop" }
  | { readonly type: "timeout"; readonly timeoutMs: number }
  | { readonly type: "storage"; readonly error: Error };

/** The processes of a shell, which may be ended for one reason: the first that comes. */
export interface InterruptibleSession {
  /** Starts to end all processes. Later calls, and calls after `close`, do nothing. */
  interrupt(reason: Interruption): void;
  readonly interruption: () => Interruption | undefined;
  /** Resolves, once an interruption has ended what it could, with the pids that are left. Never without one. */
  readonly ended: Promise<readonly number[]>;
  /** From now on an interruption comes too late. */
  close(): void;
}

export interface InterruptibleSessionOptions {
  readonly process: ProcessIdentity;
  readonly mark: string;
  readonly graceMs?: number | undefined;
  /** The members known at the time of the interruption. */
  readonly knownMembers: () => readonly ProcessEntry[];
}

export function createInterruptibleSession(options: InterruptibleSessionOptions): InterruptibleSession {
  const ended = Promise.withResolvers<readonly number[]>();
  let interruption: Interruption | undefined;
  let isClosed = false;
  return {
    interrupt(reason) {
      if (isClosed || interruption !== undefined) return;
      interruption = reason;
      const { process, mark, graceMs } = options;
      ended.resolve(endSession({ process, mark, knownMembers: options.knownMembers(), ...(graceMs === undefined ? {} : { graceMs }) }));
    },
    interruption: () => interruption,
    ended: ended.promise,
    close() {
      isClosed = true;
    },
  };
}
