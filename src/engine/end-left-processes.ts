import { endSession } from "../platform/end-session.ts";
import { currentProcess } from "../platform/process-identity.ts";
import type { Ledger } from "../store/ledger.ts";

/** Nobody reads what the processes would still say. */
const GRACE_MS = 300;

/**
 * Ends the sessions of processes of a run's tasks that have not ended, and removes them from the record.
 *
 * @returns the pids that nothing could end; empty as a rule
 */
export async function endLeftProcesses(runId: string, ledger: Ledger): Promise<number[]> {
  const { bootId } = currentProcess();
  const survivors = await Promise.all(
    ledger.processesOf(runId).map(async ({ taskId, attempt, ...process }) => {
      // What ran before the last boot, or in another container, is not among the processes that we see.
      const left = process.bootId === bootId ? await endSession({ process, mark: `AGENT_TASK_ID=${taskId}`, graceMs: GRACE_MS }) : [];
      await ledger.removeProcess(taskId, attempt, process.pid);
      return left;
    }),
  );
  return survivors.flat();
}
