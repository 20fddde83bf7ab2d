import { AppError } from "../../core/errors.ts";
import { RUN_EVENT_TYPES } from "../../core/stream-event.ts";
import { nearestName } from "../../lib/nearest-name.ts";
import { parseEventLine } from "../../store/event-line.ts";

/** Whether a line of an event log is wanted. */
export type EventFilter = (line: Uint8Array) => boolean;

/**
 * Throws an `AppError` of reason `usage` for a type that there is none of.
 *
 * @param options.since only events with a higher number
 * @param options.types names with commas between them; all types unless given
 */
export function createEventFilter({ since = 0, types }: { readonly since?: number | undefined; readonly types?: string | undefined }): EventFilter {
  const wanted = types?.split(",").map(checkedType);
  if (since === 0 && wanted === undefined) return () => true;
  return (line) => {
    const event = parseEventLine(Buffer.from(line).toString());
    // Nothing is known of a damaged line, so it is not held back.
    if (event === undefined) return true;
    const { seq, type } = event;
    return (typeof seq !== "number" || seq > since) && (wanted === undefined || wanted.some((name) => name === type));
  };
}

function checkedType(text: string): string {
  const type = text.trim();
  if (RUN_EVENT_TYPES.includes(type)) return type;
  const nearest = nearestName(type, RUN_EVENT_TYPES);
  const hint = nearest === undefined ? "" : ` (did you mean "${nearest}"?)`;
  throw new AppError("usage", `Cannot use "${type}" for --types${hint}: it takes ${RUN_EVENT_TYPES.join(", ")}`, { code: "bad_value" });
}
