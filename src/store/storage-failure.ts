import { AppError, errorMessage, systemErrorCode } from "../core/errors.ts";

/**
 * A failed write as an `AppError` of reason `storage`, its code the system's.
 *
 * @param action as in `Cannot write output of task "b…"`
 */
export function storageFailure(action: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = systemErrorCode(error);
  const why = code === undefined ? errorMessage(error) : `${EXPLANATIONS[code] ?? errorMessage(error)} (${code})`;
  return new AppError("storage", `${action}: ${why}`, { cause: error, ...(code === undefined ? {} : { code }) });
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EIO: "the disk reports an error",
  EFBIG: "the file would be larger than the file system or a limit allows",
  EROFS: "the file system is read-only",
  EACCES: "the operating system denies access",
  EMFILE: "too many files are open in this process",
  ENFILE: "too many files are open on this machine",
  EEXIST: "it exists already",
  ENOENT: "it does not exist",
};
