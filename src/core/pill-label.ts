import { isRecord } from "../lib/is-record.ts";
import type { TaskState } from "./task-state.ts";
import type { TaskType } from "./task.ts";

/** What the label looks at. */
export type PillTask = Pick<TaskState, "type" | "detail">;

/**
 * A few words on what runs in the background: `2 shells`, `1 local agent`, `dreaming`. Kinds that are mixed are only
 * counted. Empty where nothing runs.
 */
export function getPillLabel(tasks: readonly PillTask[]): string {
  const [first, ...others] = tasks;
  if (first === undefined) return "";
  if (others.some((task) => task.type !== first.type)) return counted(tasks.length, "background task");
  return LABELS[first.type](tasks);
}

const LABELS: Readonly<Record<TaskType, (tasks: readonly PillTask[]) => string>> = {
  local_bash: shellLabel,
  local_agent: (tasks) => counted(tasks.length, "local agent"),
  remote_agent: (tasks) => ultraplanLabel(tasks) ?? counted(tasks.length, "cloud session"),
  in_process_teammate: (tasks) => counted(new Set(tasks.map(teamName)).size, "team"),
  local_workflow: (tasks) => counted(tasks.length, "workflow"),
  monitor_mcp: (tasks) => counted(tasks.length, "monitor"),
  dream: () => "dreaming",
};

/** A shell that is watched line by line is a monitor to people. */
function shellLabel(tasks: readonly PillTask[]): string {
  const monitors = tasks.filter(({ detail }) => detail["kind"] === "monitor").length;
  const shells = tasks.length - monitors;
  return [shells === 0 ? "" : counted(shells, "shell"), monitors === 0 ? "" : counted(monitors, "monitor")].filter((part) => part !== "").join(", ");
}

/** Filled where a single plan is ready, hollow while it is not. */
function ultraplanLabel([task, ...others]: readonly PillTask[]): string | undefined {
  if (task === undefined || others.length > 0 || task.detail["isUltraplan"] !== true) return undefined;
  switch (task.detail["ultraplanPhase"]) {
    case "plan_ready":
      return "◆ ultraplan ready";
    case "needs_input":
      return "◇ ultraplan needs input";
    default:
      return "◇ ultraplan";
  }
}

function teamName({ detail }: PillTask): unknown {
  const { identity } = detail;
  return isRecord(identity) ? identity["teamName"] : undefined;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
