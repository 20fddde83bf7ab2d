import { stringifyWellFormed } from "../lib/stringify-well-formed.ts";
import { visibleJson } from "../lib/visible-json.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import type { WriteSync } from "../platform/write-fully.ts";
import { parseEventLine } from "./event-line.ts";
import { openLineFile } from "./line-file.ts";

/** The events of one run on disk, in the order of their numbers. */
export interface EventLog {
  readonly path: string;
  /** The number of the last event when the log was opened; 0 when there was none. */
  readonly lastSeqAtOpen: number;
  /** The last event when the log was opened. */
  readonly lastEventAtOpen: Readonly<Record<string, unknown>> | undefined;
  /** Appends a line of `encodeEventLine`. Throws an `AppError` of reason `storage`. */
  append(line: string): void;
  close(): void;
}

/** The name of a run's log in the folder of events. */
export function eventLogName(runId: string): string {
  return `${runId}.ndjson`;
}

/**
 * Opens the log of a run, creating it where there is none. Of a run that vanished, an unfinished last line is cut off.
 *
 * Throws an `AppError` of reason `storage`.
 */
export function openEventLog(params: {
  /** The folder of events of the session. */
  readonly directory: PinnedDirectory;
  readonly runId: string;
  readonly write?: WriteSync;
}): EventLog {
  const file = openLineFile(params.directory, eventLogName(params.runId), params.write === undefined ? {} : { write: params.write });
  const lastEventAtOpen = file.lastLineAtOpen === undefined ? undefined : parseEventLine(file.lastLineAtOpen);
  const seq = lastEventAtOpen?.["seq"];
  return {
    path: file.path,
    lastSeqAtOpen: typeof seq === "number" ? seq : 0,
    lastEventAtOpen,
    append: file.append,
    close: file.close,
  };
}

/**
 * An event as one line, line feed included: well-formed Unicode, and nothing in it that any reader takes for the end of
 * a line.
 */
export function encodeEventLine(event: object): string {
  return `${visibleJson(stringifyWellFormed(event))}\n`;
}
