import type { TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus } from "../core/task.ts";
import { formatByteSize } from "../lib/byte-size.ts";
import type { OpenRun } from "./open-run.ts";

/** What a run is doing right now, a line each, for whoever asks its process by signal. */
export function describeRunState({ runId, sessionId, startedAt, host, ledger, supervision }: OpenRun): string[] {
  const now = host.now();
  const pids = new Map(ledger.processesOf(runId).map(({ taskId, pid }) => [taskId, pid]));
  const tasks = Object.values(host.getAppState().tasks);
  const running = tasks.filter((task) => !isTerminalTaskStatus(task.status));
  const watchdog = supervision.watchdogPid();
  return [
    `State of run ${runId}, session ${sessionId}, process ${process.pid}, after ${seconds(now - startedAt)}`,
    `${running.length} of ${tasks.length} tasks in memory are running; ${formatByteSize(process.memoryUsage.rss())} of memory in use`,
    watchdog === undefined ? "there is no watchdog: nothing was started yet, or it cannot run here" : `watchdog is process ${watchdog}`,
    ...running.map((task) => describeTask(task, { now, pid: pids.get(task.id) })),
  ];
}

function describeTask(task: TaskState, { now, pid }: { readonly now: number; readonly pid: number | undefined }): string {
  const process = pid === undefined ? "" : `, process ${pid}`;
  return `task ${task.id} (${task.type}): ${task.status} for ${seconds(now - task.startTime)}${process}: ${task.description}`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}
