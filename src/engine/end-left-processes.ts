import { endProcesses } from "../platform/end-processes.ts";
import { currentProcess } from "../platform/process-identity.ts";
import type { RunRow } from "../store/ledger-rows.ts";
import type { Ledger } from "../store/ledger.ts";
import { runMark } from "./task-mark.ts";

/** Nobody reads what the processes would still say. */
const GRACE_MS = 300;

/**
 * Ends all processes that a run whose owner is gone has left, those of tasks that have ended among them, and removes the
 * others from the record. Finds them by what they carry and by the sessions on record, so that it also finds what was
 * started but not recorded any more, and what made itself a session of its own.
 *
 * @returns the pids that nothing could end; empty as a rule
 */
export async function endLeftProcesses(run: RunRow, ledger: Ledger): Promise<number[]> {
  const { bootId } = currentProcess();
  // What ran before the last boot, or in another container, is not among the processes that we see.
  const leaders = ledger.processesOf(run.runId, { all: true }).filter((process) => process.bootId === bootId);
  const isOfThisBoot = run.owner.bootId === bootId || leaders.length > 0;
  const trace = { variable: runMark(run.runId), mark: run.processMark };
  const survivors = isOfThisBoot ? await endProcesses({ trace, leaders, graceMs: GRACE_MS }) : [];
  for (const { taskId, attempt, pid } of ledger.processesOf(run.runId)) await ledger.removeProcess(taskId, attempt, pid);
  return survivors;
}
