import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { AppError, errorMessage, systemErrorCode } from "../core/errors.ts";
import { fileDefect } from "./file-defect.ts";
import type { PinnedDirectory } from "./pinned-directory.ts";

/**
 * Opens an existing file of ours again. Never waits, as opening a pipe would.
 *
 * Throws the system's ENOENT when nothing stands there, and an `AppError` of reason `storage` when what stands there is
 * not a file that we made: a link, a pipe, a file with a second name, another user's file.
 *
 * @returns the descriptor
 */
export function reopenFile(directory: PinnedDirectory, name: string, access: "read" | "append"): number {
  const fd = open(directory, name, access);
  const stat = fstatSync(fd);
  const defect = fileDefect(stat);
  if (defect === undefined) return fd;
  closeSync(fd);
  if (stat.nlink === 0) throw Object.assign(new Error(`"${directory.path}/${name}" was removed while it was opened`), { code: "ENOENT" });
  throw unusable(directory, name, defect);
}

function open(directory: PinnedDirectory, name: string, access: "read" | "append"): number {
  const flags = access === "read" ? constants.O_RDONLY : constants.O_WRONLY | constants.O_APPEND;
  try {
    return openSync(directory.entry(name), flags | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    switch (systemErrorCode(error)) {
      case "ELOOP":
        throw unusable(directory, name, "it is a link", error);
      case "ENXIO":
        throw unusable(directory, name, "it is not a regular file", error);
      case "EACCES":
      case "EISDIR":
        throw unusable(directory, name, errorMessage(error), error);
      default:
        throw error;
    }
  }
}

function unusable(directory: PinnedDirectory, name: string, why: string, cause?: unknown): AppError {
  return new AppError("storage", `Cannot use file "${directory.path}/${name}": ${why}`, { code: "unusable_file", cause });
}
