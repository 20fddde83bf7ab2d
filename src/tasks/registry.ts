import { TASK_TYPES, type TaskType } from "../core/task.ts";
import type { TaskKind } from "./task-kind.ts";

/** The task types of this build. A fresh array at every call. */
export function getAllTaskTypes(): TaskType[] {
  return TASK_TYPES.filter((type) => LOADERS[type] !== undefined);
}

/** Loads the kind of a type; undefined where this build lacks it, as a record of another build may show. */
export async function loadTaskKind(type: TaskType): Promise<TaskKind | undefined> {
  return await LOADERS[type]?.();
}

type Loader = () => Promise<TaskKind>;

/**
 * One line per kind. A compile-time flag must stand directly before the `import()`: the bundler drops the module of a
 * kind that is switched off in this form, and keeps it in most others.
 */
const LOADERS: Readonly<Record<TaskType, Loader | undefined>> = {
  local_bash: async () => (await import("./local_bash/index.ts")).localBashKind,
  local_agent: async () => (await import("./local_agent/index.ts")).localAgentKind,
  remote_agent: async () => (await import("./remote_agent/index.ts")).remoteAgentKind,
  in_process_teammate: async () => (await import("./in_process_teammate/index.ts")).teammateKind,
  local_workflow: WORKFLOW_SCRIPTS ? async () => (await import("./local_workflow/index.ts")).localWorkflowKind : undefined,
  monitor_mcp: MONITOR_TOOL ? async () => (await import("./monitor_mcp/index.ts")).monitorMcpKind : undefined,
  dream: async () => (await import("./dream/index.ts")).dreamKind,
};
