import { join } from "node:path";
import type { TaskState } from "../../core/task-state.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import { eventLogName } from "../../store/event-log.ts";
import { taskRecord } from "./task-record.ts";

/**
 * An element of `inspect`: `taskRecord`, then `detail` as its kind keeps it, `run{id,pid,version,createdAt,endedAt}`,
 * `processes[{pid,startTime,bootId}]` of the task that were not seen to end, `transcriptPath` (null for all but agents)
 * and `eventsFile`.
 */
export function inspectedTask(task: TaskState, { ledger, directory }: TaskStore) {
  const run = ledger.getRun(task.runId);
  const { transcriptPath } = task.detail;
  return {
    ...taskRecord(task),
    detail: task.detail,
    run:
      run === undefined
        ? null
        : { id: run.runId, pid: run.owner.pid, version: run.version, createdAt: run.createdAt, endedAt: run.endedAt ?? null },
    processes: ledger
      .processesOf(task.runId)
      .filter((process) => process.taskId === task.id && process.attempt === task.attempt)
      .map(({ pid, startTime, bootId }) => ({ pid, startTime, bootId })),
    transcriptPath: typeof transcriptPath === "string" ? transcriptPath : null,
    eventsFile: join(directory.sessions.path, task.sessionId, "events", eventLogName(task.runId)),
  };
}
