import type { RunEvent, RunEventBody, RunEventType } from "../../core/stream-event.ts";

/** Events that come out of the loop of an agent, again and again the same where the loop gets the same. */
const OF_LOOP: ReadonlySet<RunEventType> = new Set([
  "message.completed",
  "tool.started",
  "tool.completed",
  "permission.requested",
  "permission.resolved",
  "api.retry",
  "model.fallback",
  "context.compacted",
  "log",
]);

/** Events that every run has, recorded or not. */
const OF_RUN: ReadonlySet<RunEventType> = new Set(["run.started", "run.result"]);
const OF_TASK: ReadonlySet<RunEventType> = new Set(["task.started", "task.resumed", "task.updated"]);

/** Where an event of a run comes from: the loop of its root, the run itself, or elsewhere, as from a task. */
export function sourceOf({ type, task_id: taskId }: Pick<RunEvent, "type" | "task_id">, rootId: string): "loop" | "run" | "elsewhere" {
  if (OF_RUN.has(type) || (taskId === rootId && OF_TASK.has(type))) return "run";
  return taskId === rootId && OF_LOOP.has(type) ? "loop" : "elsewhere";
}

/** An event without what belongs to its run alone; the root is named by its path. */
export function eventOutOfRun(event: RunEvent, rootId: string): RunEventBody {
  const { v: _v, seq: _seq, ts: _ts, run_id: _runId, ...body } = event;
  return renamed(body, rootId, "root");
}

/** The event in another run. */
export function eventIntoRun(body: RunEventBody, rootId: string): RunEventBody {
  return renamed(body, "root", rootId);
}

function renamed(body: RunEventBody, from: string, to: string): RunEventBody {
  const rename = (id: string) => (id === from ? to : id);
  return { ...body, task_id: rename(body.task_id), parent_task_id: body.parent_task_id === null ? null : rename(body.parent_task_id) };
}
