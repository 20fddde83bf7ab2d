import type { RunEventType } from "../core/stream-event.ts";
import { isRecord } from "../lib/is-record.ts";

/** A line of an event log as an object; undefined where it is damaged. */
export function parseEventLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The event in a line where it is of one type; undefined for every other line, which is not parsed. */
export function eventOfType(line: Uint8Array, type: RunEventType): Readonly<Record<string, unknown>> | undefined {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.length);
  if (!bytes.includes(`"type":"${type}"`)) return undefined;
  const event = parseEventLine(bytes.toString());
  // What a tool was given may look like an event.
  return event?.["type"] === type ? event : undefined;
}
