import { AppError, errorMessage, systemErrorCode } from "../core/errors.ts";

/** Whether another process has the lock that a call needed: the same call may succeed later. */
export function isBusy(error: unknown): boolean {
  return systemErrorCode(error)?.startsWith("SQLITE_BUSY") === true;
}

/** Whether a row with the same key exists. */
export function isDuplicate(error: unknown): boolean {
  const code = systemErrorCode(error);
  return code === "SQLITE_CONSTRAINT_PRIMARYKEY" || code === "SQLITE_CONSTRAINT_UNIQUE";
}

/** A failure of the database as an `AppError` of reason `storage`. Anything else comes back as it is. */
export function storageError(error: unknown, path: string): unknown {
  const code = systemErrorCode(error);
  if (error instanceof AppError || code?.startsWith("SQLITE_") !== true) return error;
  return new AppError("storage", `Cannot use ledger "${path}": ${explain(code) ?? errorMessage(error)} (${code})`, { code, cause: error });
}

function explain(code: string): string | undefined {
  if (code.startsWith("SQLITE_BUSY")) return "other processes kept it locked";
  // The second is what a full disk says to whoever opens the ledger.
  if (code === "SQLITE_FULL" || code === "SQLITE_IOERR_SHMSIZE") return "the disk is full";
  if (code.startsWith("SQLITE_IOERR")) return "the disk reports an error";
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return "the file is damaged";
  if (code.startsWith("SQLITE_READONLY")) return "it cannot be written";
  if (code.startsWith("SQLITE_CANTOPEN")) return "it cannot be opened";
  return undefined;
}
