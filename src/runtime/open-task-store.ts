import { lstatSync } from "node:fs";
import { join } from "node:path";
import { reapDeadRuns } from "../engine/reap.ts";
import { AppError, errorMessage } from "../core/errors.ts";
import { openStateDirectory, type StateDirectory } from "../platform/state-directory.ts";
import { resolveStatePaths, type StatePaths } from "../platform/state-paths.ts";
import { wallClock } from "../platform/wall-clock.ts";
import { releaseBallast } from "../store/ballast.ts";
import { isDiskFull } from "../store/disk-full.ts";
import { LEDGER_NAME } from "../store/ledger-database.ts";
import { openLedger, type Ledger } from "../store/ledger.ts";
import { createStorageRetry } from "../store/storage-retry.ts";

/** Long enough for a second try once the ballast is gone; somebody waits for the command. */
const STORAGE_WAIT_MS = 200;

/** The state of this user's tasks, as commands see it that run beside the tasks' own processes. */
export interface TaskStore {
  readonly paths: StatePaths;
  readonly directory: StateDirectory;
  readonly ledger: Ledger;
  close(): void;
}

/**
 * Opens the state folder and cleans up behind runs whose owner is gone, so that what is read next is true. Creates
 * nothing: where no task was ever recorded, it returns undefined.
 *
 * Throws an `AppError` of reason `storage` when the state cannot be used.
 *
 * @param params.onWarning gets the reason when cleaning up failed; reading goes on
 */
export async function openTaskStore(params: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly onWarning: (text: string) => void;
}): Promise<TaskStore | undefined> {
  const paths = resolveStatePaths(params.env);
  if (!hasLedger(paths)) return undefined;
  const directory = openStateDirectory(paths);
  try {
    const ledger = openExistingLedger(directory);
    await reapDeadRuns({ state: directory, ledger, now: wallClock }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      params.onWarning(`Cannot clean up behind runs that are gone: ${error.message}`);
    });
    return {
      paths,
      directory,
      ledger,
      close() {
        ledger.close();
        directory.close();
      },
    };
  } catch (error) {
    directory.close();
    throw error;
  }
}

/** Even reading needs a little room beside the ledger: on a full disk the ballast gives it. */
function openExistingLedger(directory: StateDirectory): Ledger {
  const onFull = () => releaseBallast(directory.root);
  const storage = createStorageRetry({ limitMs: STORAGE_WAIT_MS, onFull, onWait: () => undefined, onGiveUp: () => undefined });
  const open = () => openLedger(directory, { create: false, storage });
  try {
    return open();
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    onFull();
    return open();
  }
}

function hasLedger({ state }: StatePaths): boolean {
  try {
    return lstatSync(join(state, LEDGER_NAME), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    throw new AppError("storage", `Cannot look into the state folder "${state}": ${errorMessage(error)}`, { cause: error });
  }
}
