import { reapDeadRuns } from "../engine/reap.ts";
import { systemErrorCode } from "../core/errors.ts";
import { isSameProcess } from "../platform/process-identity.ts";
import { wallClock } from "../platform/wall-clock.ts";
import type { RunRow } from "../store/ledger-rows.ts";
import type { TaskStore } from "./open-task-store.ts";

/** How long the kernel gets to end the process, and the process's last helper to let go of its lock. */
const END_WAIT_MS = 2_000;
const POLL_MS = 10;

/**
 * Ends the process that owns a run with SIGKILL and records its tasks as killed. Only a process that is still the one on
 * record is signalled. Where it cannot be ended, its tasks stay as they are.
 */
export async function endOwner(run: RunRow, store: TaskStore): Promise<void> {
  sendKill(run);
  const deadline = performance.now() + END_WAIT_MS;
  for (;;) {
    await reapDeadRuns({ state: store.directory, ledger: store.ledger, now: wallClock, only: [run.runId], reason: "killed" });
    const isReaped = !store.ledger.liveRuns().some((live) => live.runId === run.runId);
    if (isReaped || performance.now() >= deadline) return;
    await Bun.sleep(POLL_MS);
  }
}

function sendKill({ owner }: RunRow): void {
  if (!isSameProcess(owner)) return;
  try {
    process.kill(owner.pid, "SIGKILL");
  } catch (error) {
    // It has ended, or it changed its user.
    if (systemErrorCode(error) !== "ESRCH" && systemErrorCode(error) !== "EPERM") throw error;
  }
}
