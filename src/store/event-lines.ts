import { closeSync, fstatSync } from "node:fs";
import { join } from "node:path";
import { AppError, systemErrorCode } from "../core/errors.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { readFully } from "../platform/read-fully.ts";
import { reopenFile } from "../platform/reopen-file.ts";
import { eventLogName } from "./event-log.ts";
import { storageFailure } from "./storage-failure.ts";

/** Reads the event log of a run, which may be growing, line by line. */
export interface EventLines {
  /**
   * The next whole lines, each with its line feed; none when there are no more for now. What stands behind the last line
   * feed is never read: it may still be written, or be cut off when the log is repaired.
   *
   * Throws an `AppError` of reason `storage`.
   */
  read(): Uint8Array[];
  close(): void;
}

const READ_STEP_BYTES = 65_536;
/** Longer than any line that is written. */
const LINE_BYTES_MAX = 4 * 1_048_576;
const LINE_FEED = 0x0a;
const NOTHING = new Uint8Array();

/**
 * Opens the event log of a run for reading.
 *
 * Throws an `AppError`: `not_found` when there is none, `storage` when what stands there is none of ours.
 *
 * @param params.directory the folder of events of the session
 */
export function openEventLines({ directory, runId }: { readonly directory: PinnedDirectory; readonly runId: string }): EventLines {
  const name = eventLogName(runId);
  const path = join(directory.path, name);
  const fd = open(directory, name);
  let position = 0;

  /** From `position` to the last line feed that is there; as much as it takes to find one. */
  function readWholeLines(): Uint8Array {
    if (fstatSync(fd).size <= position) return NOTHING;
    for (let length = READ_STEP_BYTES; length <= LINE_BYTES_MAX; length *= 2) {
      const bytes = new Uint8Array(length);
      const count = readFully(fd, bytes, position);
      const end = bytes.lastIndexOf(LINE_FEED) + 1;
      if (end > 0 || count < length) return bytes.subarray(0, end);
    }
    throw new AppError("storage", `Cannot read "${path}": the line at byte ${position} is longer than ${LINE_BYTES_MAX} bytes`, { code: "damaged_log" });
  }

  return {
    read() {
      try {
        const bytes = readWholeLines();
        position += bytes.length;
        return splitLines(bytes);
      } catch (error) {
        throw storageFailure(`Cannot read "${path}"`, error);
      }
    },
    close: () => closeSync(fd),
  };
}

function open(directory: PinnedDirectory, name: string): number {
  try {
    return reopenFile(directory, name, "read");
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") throw storageFailure(`Cannot open "${join(directory.path, name)}"`, error);
    throw new AppError("not_found", `Cannot read "${join(directory.path, name)}": there is no such log`, { code: "no_events", cause: error });
  }
}

function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, start) + 1;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}
