import { BUILD_INFO } from "../core/build-info.ts";
import { currentProcess } from "../platform/process-identity.ts";
import type { Ledger } from "../store/ledger.ts";

/**
 * The ledger as a run's tasks see it: the first task that is recorded is the root, and its row and the run's own are one
 * transaction, so that neither is ever seen without the other.
 */
export function ledgerOfRun(
  ledger: Ledger,
  run: { readonly runId: string; readonly sessionId: string; readonly startedAt: number; readonly controlDirectory: string; readonly processMark: string },
): Ledger {
  let isRecorded = false;
  return {
    ...ledger,
    async insertTask(task, options) {
      if (isRecorded) return await ledger.insertTask(task, options);
      const { runId, sessionId, controlDirectory, processMark } = run;
      const row = { runId, sessionId, rootTaskId: task.id, owner: currentProcess(), version: BUILD_INFO.version, createdAt: run.startedAt, controlDirectory, processMark };
      await ledger.insertRun(row, task, options);
      isRecorded = true;
    },
  };
}
