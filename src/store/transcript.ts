import { randomUUID } from "node:crypto";
import { stringifyWellFormed } from "../lib/stringify-well-formed.ts";
import { visibleJson } from "../lib/visible-json.ts";
import type { TaskId } from "../core/task.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import { wallClock } from "../platform/wall-clock.ts";
import type { WriteSync } from "../platform/write-fully.ts";
import { openLineFile } from "./line-file.ts";
import { parseTranscriptLine, type TranscriptDraft, type TranscriptEntry } from "./transcript-entry.ts";

/** What an agent was told and said: append-only, each entry linked to the one before. */
export interface Transcript {
  readonly path: string;
  /** The last entry; null when there is none. */
  readonly lastUuid: string | null;
  /** Throws an `AppError` of reason `storage`; then the entry is not part of the transcript. */
  append(draft: TranscriptDraft): TranscriptEntry;
  /** Waits until all entries are on disk. Throws an `AppError` of reason `storage`. */
  sync(): void;
  close(): void;
}

/**
 * Opens a transcript for appending, creating it where there is none. An unfinished last line, left by a crash, is cut off.
 *
 * Throws an `AppError` of reason `storage` when it cannot be opened, is no file of ours, or ends with a damaged line.
 */
export function openTranscript(params: {
  readonly directory: PinnedDirectory;
  readonly name: string;
  readonly sessionId: string;
  readonly agentId: TaskId;
  readonly isSidechain: boolean;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly newUuid?: () => string;
  readonly write?: WriteSync;
}): Transcript {
  const { directory, name, sessionId, agentId, isSidechain, now = wallClock, newUuid = randomUUID } = params;
  const file = openLineFile(directory, name, params.write === undefined ? {} : { write: params.write });
  let lastUuid = lastUuidIn(file);
  return {
    path: file.path,
    get lastUuid() {
      return lastUuid;
    },
    append(draft) {
      const entry: TranscriptEntry = {
        ...draft,
        uuid: newUuid(),
        parentUuid: lastUuid,
        sessionId,
        agentId,
        isSidechain,
        timestamp: new Date(now()).toISOString(),
      };
      if (TEST_HOOKS) crashPoint("before-transcript-line");
      file.append(`${visibleJson(stringifyWellFormed(entry))}\n`);
      if (TEST_HOOKS) crashPoint("after-transcript-line");
      lastUuid = entry.uuid;
      return entry;
    },
    sync: file.sync,
    close: file.close,
  };
}

function lastUuidIn(file: { readonly path: string; readonly lastLineAtOpen: string | undefined; close(): void }): string | null {
  if (file.lastLineAtOpen === undefined) return null;
  try {
    return parseTranscriptLine(file.lastLineAtOpen, `the last line of "${file.path}"`).uuid;
  } catch (error) {
    file.close();
    throw error;
  }
}
