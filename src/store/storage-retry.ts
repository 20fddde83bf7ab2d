import { AppError } from "../core/errors.ts";
import { isDiskFull } from "./disk-full.ts";

/** Waits for a disk that cannot be written at the moment. One for all writes of a run: their waiting is one. */
export interface StorageRetry {
  /**
   * Repeats an attempt while it fails for a reason that may pass. Rejects with its error when that takes too long, and at
   * once when the reason does not pass.
   */
  run<Value>(attempt: () => Value | Promise<Value>): Promise<Value>;
}

export interface StorageRetryOptions {
  /** How long a disk may fail. */
  readonly limitMs: number;
  /** Called at each failure of a full disk: makes room where there is some. */
  readonly onFull: () => void;
  /** Called when writing begins to fail. */
  readonly onWait: (failure: AppError, limitMs: number) => void;
  /** Called when it has failed for too long. */
  readonly onGiveUp: (failure: AppError) => void;
  /** For tests. */
  readonly world?: { readonly sleep: (milliseconds: number) => Promise<void>; readonly now: () => number };
}

const DELAY_MIN_MS = 5;
const DELAY_MAX_MS = 500;

export function createStorageRetry(options: StorageRetryOptions): StorageRetry {
  const { limitMs, world = { sleep: Bun.sleep, now: () => performance.now() } } = options;
  let failingSince: number | undefined;
  let failedAt = 0;
  let isGivenUp = false;

  /** Counts a failure, and says whether it is one too many. */
  function isOverdue(failure: AppError, { isFirst }: { readonly isFirst: boolean }): boolean {
    const now = world.now();
    // What failed long ago says nothing about now.
    if (failingSince === undefined || (isFirst && now - failedAt > limitMs)) {
      failingSince = now;
      isGivenUp = false;
      options.onWait(failure, limitMs);
    }
    failedAt = now;
    return now - failingSince >= limitMs;
  }

  return {
    async run(attempt) {
      for (let isFirst = true, delay = DELAY_MIN_MS; ; isFirst = false, delay = Math.min(DELAY_MAX_MS, delay * 2)) {
        try {
          const value = await attempt();
          failingSince = undefined;
          return value;
        } catch (error) {
          if (!mayPass(error)) throw error;
          if (isDiskFull(error)) options.onFull();
          if (isOverdue(error, { isFirst })) {
            if (!isGivenUp) options.onGiveUp(error);
            isGivenUp = true;
            throw error;
          }
        }
        await world.sleep(delay);
      }
    },
  };
}

const PASSING_CODES: ReadonlySet<string> = new Set([
  "ENOSPC",
  "EDQUOT",
  "EFBIG",
  "EIO",
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "EROFS",
  "EACCES",
  "EPERM",
  "ENOENT",
]);
const PASSING_LEDGER_CODES = /^SQLITE_(FULL|NOMEM|(READONLY|CANTOPEN|IOERR)(_\w+)?)$/;

/**
 * A sync that failed is none of these: nobody knows what is on disk then, and one that succeeds later proves nothing.
 */
function mayPass(error: unknown): error is AppError {
  if (!(error instanceof AppError) || error.reason !== "storage") return false;
  return PASSING_CODES.has(error.code) || (PASSING_LEDGER_CODES.test(error.code) && !error.code.endsWith("FSYNC"));
}
