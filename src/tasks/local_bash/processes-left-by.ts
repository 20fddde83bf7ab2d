import { findProcesses, type ProcessSearch } from "../../platform/find-processes.ts";
import { hasProcessGroup, type ProcessEntry } from "../../platform/process-table.ts";
import type { OutputPump } from "../../platform/pump-output.ts";

/** Output this old is taken for the last: what was written before the exit is in the pipe already. */
const QUIET_MS = 100;
/** Whoever writes on and on is not waited for any longer. */
const DRAIN_MS_MAX = 500;
const POLL_MS = 10;

/**
 * The processes that a shell left when it exited, once the output before the exit has been read. Takes microseconds when
 * it left nothing, and half a second at most when it did.
 *
 * Where nobody adopts what loses its parent, a process that left the group and holds no output is not seen; whoever ends
 * the run looks for it.
 *
 * @param search for the processes of the shell, which has exited; it is the one leader
 */
export async function processesLeftBy(search: ProcessSearch, pump: OutputPump): Promise<readonly ProcessEntry[]> {
  let isDrained = false;
  const drained = pump.ended.then(() => {
    isDrained = true;
  });
  const exitAt = performance.now();
  for (;;) {
    await Promise.race([drained, Bun.sleep(POLL_MS)]);
    if (isDrained && !hasLeft(search)) return [];
    const now = performance.now();
    const isLate = now - exitAt >= DRAIN_MS_MAX;
    if (isLate || now - Math.max(exitAt, pump.lastReadAt()) >= QUIET_MS) {
      const { entries, isSettled } = findProcesses(search);
      if (entries.length > 0 || isSettled || isLate) return entries;
    }
    // With the pipes at their end the race no longer waits: a process that is about to go gets its time.
    if (isDrained) await Bun.sleep(POLL_MS);
  }
}

function hasLeft({ leaders, trace, adopter }: ProcessSearch): boolean {
  if (leaders.some(({ pid }) => hasProcessGroup(pid))) return true;
  const adopted = adopter?.adopted(trace);
  return adopted !== undefined && (adopted.pids.length > 0 || !adopted.isSettled);
}
