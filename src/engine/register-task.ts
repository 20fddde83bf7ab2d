import type { TaskHost } from "../core/task-host.ts";
import type { TaskState } from "../core/task-state.ts";

/**
 * Records an attempt at a task in the ledger, then mirrors it in memory and announces it.
 *
 * Where the task is in memory already with a mirror (a resumed agent), what a viewer holds and what waits for delivery
 * is kept, and no second `task.started` is sent.
 *
 * Rejects as `TaskLedger.insertTask` does; then nothing is in memory and nothing was announced.
 */
export async function registerTask(task: TaskState, host: TaskHost, options: { readonly durable: boolean }): Promise<void> {
  await host.ledger.insertTask(task, options);
  let isFirst = true;
  host.setAppState((state) => {
    const existing = state.tasks[task.id];
    isFirst = existing === undefined;
    return { ...state, tasks: { ...state.tasks, [task.id]: existing === undefined ? task : mergeOnReplace(existing, task) } };
  });
  if (isFirst) announce(task, host);
}

function mergeOnReplace(existing: TaskState, replacement: TaskState): TaskState {
  if (existing.mirror === undefined) return replacement;
  return { ...replacement, startTime: existing.startTime, mirror: existing.mirror };
}

function announce(task: TaskState, host: TaskHost): void {
  host.emit({
    type: "task.started",
    task_id: task.id,
    parent_task_id: task.parentTaskId ?? null,
    task_type: task.type,
    status: task.status,
    description: task.description,
    output_file: task.outputFile,
    is_backgrounded: task.isBackgrounded ?? true,
    tool_use_id: task.toolUseId ?? null,
  });
}
