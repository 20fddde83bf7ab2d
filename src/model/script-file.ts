import { AppError, errorMessage } from "../core/errors.ts";
import { formatByteSize } from "../lib/byte-size.ts";
import { type FileText, readTextFile } from "../platform/read-text-file.ts";

const SCRIPT_BYTES_MAX = 16 * 1024 * 1024;

/** Reads the file of a script as JSON. Throws `AppError` of reason `usage` that names the file. */
export function readScriptJson(path: string): unknown {
  const { text, isCut } = readFile(path, SCRIPT_BYTES_MAX);
  if (isCut) throw unusableScript(path, `it is larger than ${formatByteSize(SCRIPT_BYTES_MAX)}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unusableScript(path, errorMessage(error), error);
  }
}

/** Throws as `readScriptJson` unless the file can be opened. Reads nothing of it. */
export function checkScriptFile(path: string): void {
  readFile(path, 0);
}

export function unusableScript(path: string, problem: string, cause?: unknown): AppError {
  return new AppError("usage", `Cannot use the model script "${path}": ${problem}`, { code: "invalid_script", cause });
}

function readFile(path: string, bytesMax: number): FileText {
  let read: FileText | undefined;
  try {
    read = readTextFile(path, { bytesMax, followLinks: true });
  } catch (error) {
    throw unusableScript(path, errorMessage(error), error);
  }
  if (read === undefined) throw unusableScript(path, "it is no regular file");
  return read;
}
