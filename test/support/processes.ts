import { readdirSync, readFileSync } from "node:fs";

/** Whether a process lives; a zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** The living processes whose environment holds `mark`, a `NAME=value`. */
export function processesWithMark(mark: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && isAlive(pid) && environmentOf(pid).includes(mark));
}

/** A mark that no other test uses. */
export function uniqueMark(): string {
  return `AGENT_TASK_ID=${crypto.randomUUID()}`;
}

/** Ends what a test may have left behind; nothing is there as a rule. */
export function killMarked(mark: string): void {
  for (const pid of processesWithMark(mark)) process.kill(pid, "SIGKILL");
}

function environmentOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
  } catch {
    return [];
  }
}
