import { isCountedWork } from "../core/counted-work.ts";
import type { RunEventBody } from "../core/stream-event.ts";
import type { TaskState } from "../core/task-state.ts";

type ChildResult = Extract<RunEventBody, { type: "run.result" }>["children"][number];

/** The tasks of a run that its result lists: all agents, and what else was in the background, but for the root itself. */
export function childResults(rootTaskId: string, tasks: readonly TaskState[]): ChildResult[] {
  return tasks.filter((task) => task.id !== rootTaskId && (task.type === "local_agent" || task.isBackgrounded !== false)).map(childResult);
}

function childResult(task: TaskState): ChildResult {
  // A command's own code where it has one; otherwise the code of its ending.
  const { exitCode } = task.detail;
  return {
    task_id: task.id,
    type: task.type,
    status: task.status,
    exit_code: typeof exitCode === "number" ? exitCode : (task.exit?.code ?? null),
    required: isCountedWork(task),
    output_file: task.outputFile,
    ...useOf(task),
  };
}

/** What an agent has used by itself. */
function useOf({ type, detail }: TaskState): Pick<ChildResult, "tokens" | "cost_usd"> {
  if (type !== "local_agent") return {};
  const { progress, costUsd } = detail;
  const { tokenCount }: Readonly<Record<string, unknown>> = typeof progress === "object" && progress !== null ? { ...progress } : {};
  return {
    ...(typeof tokenCount === "number" ? { tokens: tokenCount } : {}),
    ...(typeof costUsd === "number" || costUsd === null ? { cost_usd: costUsd } : {}),
  };
}
