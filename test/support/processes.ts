import { readdirSync, readFileSync } from "node:fs";
import { waitFor } from "./wait-for.ts";

/** Whether a process lives. A zombie does not, unless a thread of it is still on its way out and holds files open. */
export function isAlive(pid: number): boolean {
  try {
    const isZombie = /^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
    return !isZombie || readdirSync(`/proc/${pid}/task`).length > 1;
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

/** Ends a process the hard way, and resolves when it is gone and has given its locks back. */
export async function killHard(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await waitFor(() => !isAlive(pid));
}
