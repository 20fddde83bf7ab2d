import type { TaskBaseRow } from "../../store/ledger-rows.ts";

/**
 * A task as `--json` shows it: the fields of the record, always the same keys in the same order, null where there is no
 * value. Keys are only ever added.
 *
 * `id type status name description parentTaskId toolUseId runId sessionId attempt cwd isBackgrounded startTime endTime
 * totalPausedMs exit{code,reason} error outputFile outputOffset notified`. Times are milliseconds since the epoch.
 */
export function taskRecord(task: TaskBaseRow) {
  return {
    id: task.id,
    type: task.type,
    status: task.status,
    name: task.name ?? null,
    description: task.description,
    parentTaskId: task.parentTaskId ?? null,
    toolUseId: task.toolUseId ?? null,
    runId: task.runId,
    sessionId: task.sessionId,
    attempt: task.attempt,
    cwd: task.cwd,
    isBackgrounded: task.isBackgrounded ?? true,
    startTime: task.startTime,
    endTime: task.endTime ?? null,
    totalPausedMs: task.totalPausedMs ?? null,
    exit: task.exit ?? null,
    error: task.error ?? null,
    outputFile: task.outputFile,
    outputOffset: task.outputOffset,
    notified: task.notified,
  };
}
