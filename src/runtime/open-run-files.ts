import { openRuntimeDirectory, openStateDirectory, type StateDirectory } from "../platform/state-directory.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { resolveStatePaths } from "../platform/state-paths.ts";
import { openEventLog, type EventLog } from "../store/event-log.ts";
import { openLedger, type Ledger } from "../store/ledger.ts";
import { takeNewOwnerLock } from "../store/owner-lock.ts";
import { openSessionDirectory, type SessionDirectory } from "../store/session-directory.ts";

/** What one run holds open on disk. */
export interface RunFiles {
  readonly state: StateDirectory;
  readonly runtimeDirectory: PinnedDirectory;
  readonly ledger: Ledger;
  readonly session: SessionDirectory;
  readonly log: EventLog;
  /** Gives everything back, the owner's lock last of what others look at. */
  close(): void;
}

/**
 * Opens the state of a new run and takes its owner's lock, before anything of the run is on record. Where one of it
 * cannot be opened, nothing stays open.
 *
 * Throws an `AppError` of reason `storage`.
 */
export function openRunFiles(params: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly runId: string;
  readonly sessionId: string;
}): RunFiles {
  const { env, runId, sessionId } = params;
  const paths = resolveStatePaths(env);
  using opening = new DisposableStack();
  const state = opening.adopt(openStateDirectory(paths), (opened) => opened.close());
  opening.adopt(takeNewOwnerLock(state, runId), (lock) => lock.release());
  const runtimeDirectory = opening.adopt(openRuntimeDirectory(paths, state), (opened) => opened.close());
  const ledger = opening.adopt(openLedger(state), (opened) => opened.close());
  const session = opening.adopt(openSessionDirectory(state, sessionId), (opened) => opened.close());
  const log = opening.adopt(openEventLog({ directory: session.events, runId }), (opened) => opened.close());
  const held = opening.move();
  return { state, runtimeDirectory, ledger, session, log, close: () => held.dispose() };
}
