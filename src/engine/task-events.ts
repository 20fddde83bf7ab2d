import type { RunEventBody } from "../core/stream-event.ts";
import type { TaskOutputWriter } from "../core/task-output.ts";
import type { TaskState } from "../core/task-state.ts";
import { isTerminalTaskStatus } from "../core/task.ts";

/** What the event stream says of an attempt at a task when it is put on record. */
export function taskBegun(task: TaskState): RunEventBody {
  return task.attempt === 1 ? taskStarted(task) : taskResumed(task);
}

function taskStarted(task: TaskState): RunEventBody {
  return {
    task_id: task.id,
    parent_task_id: task.parentTaskId ?? null,
    type: "task.started",
    task_type: task.type,
    // The record of a run that died says how it ended.
    status: isTerminalTaskStatus(task.status) ? "running" : task.status,
    description: task.description,
    output_file: task.outputFile,
    is_backgrounded: task.isBackgrounded ?? true,
    tool_use_id: task.toolUseId ?? null,
  };
}

/** What the event stream says of a task whose status has changed. */
export function taskUpdated(task: TaskState): RunEventBody {
  return {
    task_id: task.id,
    parent_task_id: task.parentTaskId ?? null,
    type: "task.updated",
    status: task.status,
    exit: task.exit ?? null,
    error: task.error ?? null,
  };
}

/** What the event stream says of a task whose output was cut. */
export function outputTruncated(task: TaskState, { bytesWritten, bytesDropped }: Pick<TaskOutputWriter, "bytesWritten" | "bytesDropped">): RunEventBody {
  return {
    task_id: task.id,
    parent_task_id: task.parentTaskId ?? null,
    type: "output.truncated",
    scope: "task",
    output_file: task.outputFile,
    bytes_kept: bytesWritten,
    bytes_dropped: bytesDropped,
  };
}

/** A further attempt at a task that was announced in an earlier run. */
function taskResumed(task: TaskState): RunEventBody {
  return {
    type: "task.resumed",
    task_id: task.id,
    parent_task_id: task.parentTaskId ?? null,
    attempt: task.attempt,
    task_type: task.type,
    description: task.description,
    output_file: task.outputFile,
  };
}
