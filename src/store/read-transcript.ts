import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { storageFailure } from "./storage-failure.ts";
import { parseTranscriptLine, type TranscriptEntry } from "./transcript-entry.ts";

/**
 * All entries of a transcript. An unfinished last line, left by a crash or just being written, does not count.
 *
 * Throws an `AppError` of reason `storage` when it cannot be read or a whole line of it is damaged.
 *
 * @param path followed as it is, but for a link in its last component
 */
export function readTranscript(path: string): TranscriptEntry[] {
  const text = readText(path);
  const whole = text.slice(0, text.lastIndexOf("\n") + 1);
  return whole
    .split("\n")
    .slice(0, -1)
    .map((line, index) => parseTranscriptLine(line, `line ${index + 1} of "${path}"`));
}

function readText(path: string): string {
  try {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    try {
      return readFileSync(fd, "utf8");
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw storageFailure(`Cannot read transcript "${path}"`, error);
  }
}
