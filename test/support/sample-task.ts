import type { TaskState } from "../../src/core/task-state.ts";
import { isTaskId, type TaskId } from "../../src/core/task.ts";
import type { RunRow } from "../../src/store/ledger-rows.ts";

/** Text as a task id. Fails for what is none. */
export function taskId(text: string): TaskId {
  if (!isTaskId(text)) throw new Error(`"${text}" is no task id`);
  return text;
}

/** A running shell, changed as told. */
export function sampleTask(changes: Partial<TaskState> = {}): TaskState {
  const id = changes.id ?? taskId("b00000000");
  return {
    id,
    type: "local_bash",
    status: "running",
    description: "make",
    startTime: 1_000,
    outputFile: `/state/tasks/${id}.output`,
    outputOffset: 0,
    notified: false,
    attempt: 1,
    runId: "run-1",
    sessionId: "session-1",
    cwd: "/project",
    detail: { command: "make" },
    ...changes,
  };
}

export function sampleRun(changes: Partial<RunRow> = {}): RunRow {
  return {
    runId: "run-1",
    sessionId: "session-1",
    rootTaskId: taskId("a00000000"),
    owner: { pid: 4242, startTime: "777", bootId: "boot" },
    version: "0.1.0",
    createdAt: 1_000,
    ...changes,
  };
}
