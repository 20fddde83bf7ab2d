import { systemErrorCode } from "../core/errors.ts";

const FULL_CODES: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"]);

/** Whether something failed because the disk, or the user's share of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return FULL_CODES.has(systemErrorCode(error) ?? "");
}
