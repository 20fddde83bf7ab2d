import { findProcesses, type ProcessSearch } from "./find-processes.ts";
import { isStillThere, type ProcessEntry } from "./process-table.ts";
import { readProcStat } from "./proc-stat.ts";

/**
 * Halts all processes that a search finds.
 *
 * @returns those that were not halted before, for `resumeProcesses`
 */
export function haltProcesses(search: ProcessSearch): ProcessEntry[] {
  const first = haltFound(search);
  // What was started during the first look.
  return [...first, ...haltFound(search)];
}

/** Lets processes go on that were halted, as far as they are still the same. */
export function resumeProcesses(halted: readonly ProcessEntry[]): void {
  for (const entry of halted) if (isStillThere(entry)) sendSignal(entry.pid, "SIGCONT");
}

function haltFound(search: ProcessSearch): ProcessEntry[] {
  return findProcesses(search).entries.filter(({ pid }) => !isHalted(pid) && sendSignal(pid, "SIGSTOP"));
}

function isHalted(pid: number): boolean {
  return readProcStat(pid)?.state === "T";
}

/** False where the process has gone or is not ours. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
