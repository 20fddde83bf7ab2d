import { AppError } from "../../core/errors.ts";
import type { TaskState } from "../../core/task-state.ts";
import type { TaskId } from "../../core/task.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import { requestStop, STOP_TIMEOUT_MS, type RequestStopOptions } from "../../runtime/request-stop.ts";
import { defineCliCommand } from "../command.ts";
import { eachTask } from "../tasks/each-task.ts";
import { durationFlag } from "../flag-values.ts";
import { requireReferences } from "../tasks/resolve-task-reference.ts";

export default defineCliCommand({
  name: "stop",
  description: "Stop tasks and everything they started",
  examples: ["agent stop ID", "agent stop --all", "agent stop --force ID"],
  args: {
    task: { type: "positional", isMultiple: true, description: "Id, beginning of an id, or name; several may be given" },
    all: { type: "boolean", description: "Stop all tasks in the background" },
    "all-agents": { type: "boolean", description: "Stop all agents that others have started, and leave those" },
    force: { type: "boolean", description: "Where the process of a run does not answer, end it and all its tasks by signal" },
    timeout: { type: "string", valueHint: "duration", description: "How long to wait for the end", defaultHint: "10s" },
    "if-running": { type: "boolean", description: "A task that has ended already is no failure" },
    verbose: { type: "boolean", alias: "v", description: "Print the ids of the tasks that were stopped" },
  },
  async run({ values, io }) {
    const timeoutMs = durationFlag("--timeout", values.timeout) ?? STOP_TIMEOUT_MS;
    const group = groupOf(values);
    const mayHaveEnded = group !== undefined || values["if-running"] === true;
    return await eachTask({ io, references: group ?? requireReferences(values.task) }, (store) => async (id) => {
      const wasRunning = await stop({ id, store, timeoutMs, isForced: values.force === true }, { mayHaveEnded });
      if (wasRunning && values.verbose === true) await io.stdout.write(`${id}\n`);
    });
  },
});

async function stop(request: RequestStopOptions, { mayHaveEnded }: { readonly mayHaveEnded: boolean }): Promise<boolean> {
  try {
    await requestStop(request);
    return true;
  } catch (error) {
    if (mayHaveEnded && error instanceof AppError && error.code === "not_running") return false;
    throw error;
  }
}

type FindTasks = (store: TaskStore) => readonly TaskId[];

/** Which tasks are meant where none is named; undefined where some are. */
function groupOf(values: { readonly task: readonly string[]; readonly all?: boolean | undefined; readonly "all-agents"?: boolean | undefined }): FindTasks | undefined {
  const groups: readonly (readonly [string, FindTasks])[] = [...(values.all === true ? [["--all", all] as const] : []), ...(values["all-agents"] === true ? [["--all-agents", startedAgents] as const] : [])];
  const [first, second] = groups;
  if (first !== undefined && second !== undefined) throw new AppError("usage", "Cannot use --all and --all-agents together: give one of them");
  if (first !== undefined && values.task.length > 0) throw new AppError("usage", `Cannot use ${first[0]} together with a task: give one of them`);
  return first?.[1];
}

function all({ ledger }: TaskStore): readonly TaskId[] {
  return topmost(ledger.listTasks({ all: false }));
}

function startedAgents({ ledger }: TaskStore): readonly TaskId[] {
  return topmost(ledger.listTasks({ all: false }).filter(({ type, parentTaskId }) => type === "local_agent" && parentTaskId !== undefined));
}

/** Without those that end together with their parent. */
function topmost(tasks: readonly Pick<TaskState, "id" | "parentTaskId">[]): readonly TaskId[] {
  const ids = new Set(tasks.map((task) => task.id));
  return tasks.filter((task) => task.parentTaskId === undefined || !ids.has(task.parentTaskId)).map((task) => task.id);
}
