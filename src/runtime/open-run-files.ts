import { AppError } from "../core/errors.ts";
import { openRuntimeDirectory, openStateDirectory, type StateDirectory } from "../platform/state-directory.ts";
import type { PinnedDirectory } from "../platform/pinned-directory.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import { resolveStatePaths } from "../platform/state-paths.ts";
import { storageWaitMs } from "../platform/storage-wait.ts";
import { releaseBallast } from "../store/ballast.ts";
import { openEventLog, type EventLog } from "../store/event-log.ts";
import { openLedger, type Ledger } from "../store/ledger.ts";
import { takeNewOwnerLock } from "../store/owner-lock.ts";
import { openSessionDirectory, type SessionDirectory } from "../store/session-directory.ts";
import { createStorageRetry, type StorageRetry } from "../store/storage-retry.ts";

/** What one run holds open on disk. */
export interface RunFiles {
  readonly state: StateDirectory;
  readonly runtimeDirectory: PinnedDirectory;
  readonly ledger: Ledger;
  readonly session: SessionDirectory;
  /** Undefined where it cannot be opened: events are derived, and a run goes on without their log. */
  readonly log: EventLog | undefined;
  readonly storage: StorageRetry;
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
  /** Told in words when writing begins to fail, and of what is missing. */
  readonly onProblem: (text: string) => void;
  /** Told when writing has failed for too long. */
  readonly onStorageLost: (failure: AppError) => void;
}): RunFiles {
  const { env, runId, sessionId, onProblem } = params;
  const paths = resolveStatePaths(env);
  using opening = new DisposableStack();
  const state = opening.adopt(openStateDirectory(paths), (opened) => opened.close());
  opening.adopt(takeNewOwnerLock(state, runId), (lock) => lock.release());
  if (TEST_HOOKS) crashPoint("owner-locked");
  const runtimeDirectory = opening.adopt(openRuntimeDirectory(paths, state), (opened) => opened.close());
  const storage = createStorageRetry({
    limitMs: storageWaitMs(),
    onFull: () => releaseBallast(state.root),
    onWait: ({ message }, limitMs) => onProblem(`${message}; tried again for ${limitMs / 1_000} s`),
    onGiveUp: params.onStorageLost,
  });
  const ledger = opening.adopt(openLedger(state, { storage }), (opened) => opened.close());
  const session = opening.adopt(openSessionDirectory(state, sessionId), (opened) => opened.close());
  const log = opening.adopt(openLogIfPossible(session, { runId, onProblem }), (opened) => opened?.close());
  const held = opening.move();
  return { state, runtimeDirectory, ledger, session, log, storage, close: () => held.dispose() };
}

function openLogIfPossible(
  session: SessionDirectory,
  { runId, onProblem }: { readonly runId: string; readonly onProblem: (text: string) => void },
): EventLog | undefined {
  try {
    return openEventLog({ directory: session.events, runId });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    onProblem(`The events of this run are not kept: ${error.message}`);
    return undefined;
  }
}
