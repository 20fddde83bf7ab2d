import { endSession } from "../platform/end-session.ts";
import { currentProcess } from "../platform/process-identity.ts";
import { markedSessions } from "../platform/process-session.ts";
import type { TaskProcessRow } from "../store/ledger-rows.ts";
import type { Ledger } from "../store/ledger.ts";
import { runMark, taskMark } from "./task-mark.ts";

/** Nobody reads what the processes would still say. */
const GRACE_MS = 300;

/**
 * Ends the sessions of processes that a run's tasks started, and removes those of tasks that have not ended from the
 * record. Finds what a task that has ended left behind in its session, and what was started but not recorded any more.
 *
 * @returns the pids that nothing could end; empty as a rule
 */
export async function endLeftProcesses(runId: string, ledger: Ledger): Promise<number[]> {
  const { bootId } = currentProcess();
  const running = ledger.processesOf(runId);
  const survivors = await Promise.all([
    ...running.map(async ({ taskId, attempt, ...process }) => {
      // What ran before the last boot, or in another container, is not among the processes that we see.
      const left = process.bootId === bootId ? await endSession({ process, mark: taskMark(taskId), graceMs: GRACE_MS }) : [];
      await ledger.removeProcess(taskId, attempt, process.pid);
      return left;
    }),
    ...sessionsLeftBy(runId, ledger)
      .filter(({ session }) => !running.some((row) => row.pid === session))
      .map(({ mark, session }) => endSession({ process: { pid: session, startTime: "unknown", bootId }, mark, graceMs: GRACE_MS })),
  ]);
  return survivors.flat();
}

/**
 * The sessions that carry the mark of a task and are its own: its process is on record, or none is, as where the owner
 * died right after it had started one. A session that a command made for itself is left alone.
 */
function sessionsLeftBy(runId: string, ledger: Ledger) {
  const rows = Map.groupBy(ledger.processesOf(runId, { all: true }), (row) => taskMark(row.taskId));
  const marks = new Set(ledger.tasksOfRun(runId).map((task) => taskMark(task.id)));
  return markedSessions(marks, runMark(runId)).filter(({ mark, session }) => isOwnSession(session, rows.get(mark)));
}

function isOwnSession(session: number, recorded: readonly TaskProcessRow[] | undefined): boolean {
  return recorded === undefined || recorded.some((row) => row.pid === session);
}
