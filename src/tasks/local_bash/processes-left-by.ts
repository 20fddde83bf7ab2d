import { hasProcessGroup, type ProcessEntry, sessionMembers } from "../../platform/process-session.ts";
import type { OutputPump } from "../../platform/pump-output.ts";

/** Output this old is taken for the last: what was written before the exit is in the pipe already. */
const QUIET_MS = 100;
/** Whoever writes on and on is not waited for any longer. */
const DRAIN_MS_MAX = 500;
const POLL_MS = 10;

/**
 * The processes that a shell left in its session when it exited, once the output before the exit has been read. Costs
 * one system call when it left nothing, and half a second at most when it did.
 *
 * A process that left the group but not the session, and holds no output, is not seen; whoever ends the run sweeps it.
 *
 * @param session the pid of the shell, which has exited
 */
export async function processesLeftBy(session: number, pump: OutputPump): Promise<readonly ProcessEntry[]> {
  let isDrained = false;
  const drained = pump.ended.then(() => {
    isDrained = true;
  });
  const exitAt = performance.now();
  for (;;) {
    await Promise.race([drained, Bun.sleep(POLL_MS)]);
    if (isDrained && !hasProcessGroup(session)) return [];
    const now = performance.now();
    const isQuiet = now - Math.max(exitAt, pump.lastReadAt()) >= QUIET_MS;
    if (isQuiet || now - exitAt >= DRAIN_MS_MAX) return sessionMembers(session);
    // With the pipes at their end the race no longer waits: a process that is about to go gets its time.
    if (isDrained) await Bun.sleep(POLL_MS);
  }
}
