import { endProcesses } from "../../platform/end-processes.ts";
import type { ProcessSearch } from "../../platform/find-processes.ts";
import type { ProcessEntry } from "../../platform/process-table.ts";

/** What ended a shell before it ended by itself. */
export type Interruption =
  | { readonly type: "stop" }
  | { readonly type: "timeout"; readonly timeoutMs: number }
  | { readonly type: "storage"; readonly error: Error };

/** The processes of a shell, which may be ended for one reason: the first that comes. */
export interface InterruptibleShell {
  /** Starts to end all processes. Later calls, and calls after `close`, do nothing. */
  interrupt(reason: Interruption): void;
  readonly interruption: () => Interruption | undefined;
  /** Resolves, once an interruption has ended what it could, with the pids that are left. Never without one. */
  readonly ended: Promise<readonly number[]>;
  /** From now on an interruption comes too late. */
  close(): void;
}

export interface InterruptibleShellOptions {
  readonly search: () => ProcessSearch;
  readonly graceMs?: number | undefined;
  /** The processes known at the time of the interruption. */
  readonly known: () => readonly ProcessEntry[];
}

export function createInterruptibleShell({ search, graceMs, known }: InterruptibleShellOptions): InterruptibleShell {
  const ended = Promise.withResolvers<readonly number[]>();
  let interruption: Interruption | undefined;
  let isClosed = false;
  return {
    interrupt(reason) {
      if (isClosed || interruption !== undefined) return;
      interruption = reason;
      ended.resolve(endProcesses({ ...search(), known: known(), graceMs }));
    },
    interruption: () => interruption,
    ended: ended.promise,
    close() {
      isClosed = true;
    },
  };
}
