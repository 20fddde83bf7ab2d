import type { z } from "zod";
import type { runEventSchema } from "./stream-event-schema.ts";

/** One line of `--output-format stream-json` and of a run's event log. */
export type RunEvent = z.infer<ReturnType<typeof runEventSchema>>;
export type RunEventType = RunEvent["type"];

/** As a table, so that none can be forgotten. */
const EVENT_TYPES: Readonly<Record<RunEventType, true>> = {
  "run.started": true,
  "message.completed": true,
  "message.delivered": true,
  "tool.started": true,
  "tool.completed": true,
  "permission.requested": true,
  "permission.resolved": true,
  "task.started": true,
  "task.resumed": true,
  "task.updated": true,
  "task.progress": true,
  "task.notification": true,
  "api.retry": true,
  "model.fallback": true,
  "context.compacted": true,
  "budget.warning": true,
  "budget.exceeded": true,
  "output.truncated": true,
  log: true,
  "run.result": true,
};

/** The types of events that this build writes. */
export const RUN_EVENT_TYPES: readonly string[] = Object.keys(EVENT_TYPES);

type BodyOf<Event> = Event extends unknown ? Omit<Event, "v" | "seq" | "ts" | "run_id"> : never;

/** An event before the run gives it its number, time and run id. */
export type RunEventBody = BodyOf<RunEvent>;
