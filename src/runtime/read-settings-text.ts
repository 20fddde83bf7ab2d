import { AppError, errorMessage, systemErrorCode } from "../core/errors.ts";
import { type FileText, readTextFile } from "../platform/read-text-file.ts";

const FILE_BYTES_MAX = 1_048_576;

/**
 * The text of a configuration file; undefined where there is none. Throws an `AppError` of reason `usage` when it cannot
 * be read, is larger than 1 MiB, or is no regular file.
 */
export function readSettingsText(file: string): string | undefined {
  const problem = (why: string, cause?: unknown) => new AppError("usage", `Cannot read the settings "${file}": ${why}`, { code: "unreadable_settings", cause });
  let read: FileText | undefined;
  try {
    read = readTextFile(file, { bytesMax: FILE_BYTES_MAX, followLinks: true });
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw problem(errorMessage(error), error);
  }
  if (read === undefined) throw problem("it is not a regular file");
  if (read.isCut) throw problem("it is larger than 1 MiB");
  return read.text;
}
