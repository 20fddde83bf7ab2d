import type { z } from "zod";
import type { runEventSchema } from "./stream-event-schema.ts";

/** One line of `--output-format stream-json` and of a run's event log. */
export type RunEvent = z.infer<ReturnType<typeof runEventSchema>>;
export type RunEventType = RunEvent["type"];

type BodyOf<Event> = Event extends unknown ? Omit<Event, "v" | "seq" | "ts" | "run_id"> : never;

/** An event before the run gives it its number, time and run id. */
export type RunEventBody = BodyOf<RunEvent>;
