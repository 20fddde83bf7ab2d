import { join } from "node:path";
import { AppError } from "../core/errors.ts";
import type { TaskId } from "../core/task.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import type { StateDirectory } from "../platform/state-directory.ts";
import { eventLogName } from "./event-log.ts";

/** The folder of one session, with the names of what is in it. All folders are private, checked and held open. */
export interface SessionDirectory {
  readonly path: string;
  readonly root: PinnedDirectory;
  /** Event logs of the session's runs. */
  readonly events: PinnedDirectory;
  /** Payloads that are too large for a line or for the model. */
  readonly results: PinnedDirectory;
  /** Transcripts of subagents. */
  readonly subagents: PinnedDirectory;
  readonly transcriptPath: string;
  eventsPath(runId: string): string;
  subagentTranscriptPath(id: TaskId): string;
  logPath(runId: string): string;
  close(): void;
}

export const TRANSCRIPT_NAME = "transcript.jsonl";

/** The name of the file in `root` that takes the stderr of a run in the background. */
export function runLogName(runId: string): string {
  return `${runId}.log`;
}

/** Ids are ours; still none becomes part of a path that is more than a name. */
const ID_PATTERN = /^[0-9A-Za-z][0-9A-Za-z_-]{0,63}$/;

/**
 * Opens the folder of a session, creating what is missing of it.
 *
 * Throws an `AppError`: `usage` when the id cannot be one, `storage` when a folder is not private to us or cannot be made.
 *
 * @param options.create true unless told; with false a missing folder is a `storage` error
 */
export function openSessionDirectory(
  state: StateDirectory,
  sessionId: string,
  options: { readonly create?: boolean } = {},
): SessionDirectory {
  if (!ID_PATTERN.test(sessionId)) throw new AppError("usage", `Cannot open session "${sessionId}": this is no session id`);
  const create = options.create ?? true;
  // Closes what is open already where opening the rest fails.
  using opening = new DisposableStack();
  const keep = (directory: PinnedDirectory) => opening.adopt(directory, (opened) => opened.close());
  const root = keep(state.sessions.subdirectory(sessionId, { create }));
  const subdirectory = (name: string) => keep(root.subdirectory(name, { create }));
  const [events, results, subagents] = [subdirectory("events"), subdirectory("results"), subdirectory("subagents")];
  const opened = opening.move();
  return {
    path: root.path,
    root,
    events,
    results,
    subagents,
    transcriptPath: join(root.path, TRANSCRIPT_NAME),
    eventsPath: (runId) => join(events.path, eventLogName(runId)),
    subagentTranscriptPath: (id) => join(subagents.path, subagentTranscriptName(id)),
    logPath: (runId) => join(root.path, runLogName(runId)),
    close: () => opened.dispose(),
  };
}

export function subagentTranscriptName(id: TaskId): string {
  return `agent-${id}.jsonl`;
}
