import type { ProcessIdentity } from "../core/task-host.ts";
import { readProcStat } from "./proc-stat.ts";
import { isSameProcess } from "./process-identity.ts";

/** Whether the process is there but was halted by a signal (Ctrl-Z, SIGSTOP). Always false where there is no `/proc`. */
export function isHaltedBySignal(identity: ProcessIdentity): boolean {
  if (!isSameProcess(identity)) return false;
  const state = readProcStat(identity.pid)?.state;
  return state === "T" || state === "t";
}
