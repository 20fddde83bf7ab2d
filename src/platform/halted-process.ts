import { readFileSync } from "node:fs";
import type { ProcessIdentity } from "../core/task-host.ts";
import { isSameProcess } from "./process-identity.ts";

/** Whether the process is there but was halted by a signal (Ctrl-Z, SIGSTOP). Always false where there is no `/proc`. */
export function isHaltedBySignal(identity: ProcessIdentity): boolean {
  if (!isSameProcess(identity)) return false;
  const state = processState(identity.pid);
  return state === "T" || state === "t";
}

function processState(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name before it stands in parentheses and may hold anything.
    return stat[stat.lastIndexOf(")") + 2];
  } catch {
    return undefined;
  }
}
