import { AppError, systemErrorCode } from "../core/errors.ts";

/**
 * What a failed system call on a file means, for people and the model.
 *
 * @param action as in `Cannot read`
 */
export function fileError(action: string, path: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const code = systemErrorCode(error);
  const reason = code === "ENOENT" ? "not_found" : "failed";
  return new AppError(reason, `${action} "${path}": ${explanation(code) ?? String(error)}`, { code: code ?? "file", cause: error });
}

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "a part of the path is a file, not a directory",
  EISDIR: "it is a directory",
  EACCES: "the operating system denies access",
  EPERM: "the operating system does not permit it",
  EROFS: "the file system is read-only",
  ETXTBSY: "it is a program that is running",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EFBIG: "it would be larger than the file system or a limit allows",
  ELOOP: "it is a link where a file was expected, or links lead in a circle",
  ENAMETOOLONG: "a name in it is too long",
  ENXIO: "it is a socket or a device",
  EEXIST: "it has appeared in the meantime",
};

function explanation(code: string | undefined): string | undefined {
  return code === undefined ? undefined : EXPLANATIONS[code];
}
