import { fstatSync } from "node:fs";
import { AppError } from "../../core/errors.ts";
import { nextLineStart, offsetOfLastLines } from "../../store/line-offsets.ts";
import type { OpenLog } from "./open-log.ts";

/**
 * Where printing begins, in bytes. In a transcript that is always the beginning of a line.
 *
 * Throws an `AppError` of reason `usage` for an offset behind the end of the file.
 */
export function logStart({ fd, isTranscript }: OpenLog, from: { readonly offset: number | undefined; readonly tail: number | undefined }): number {
  if (from.tail !== undefined) return offsetOfLastLines(fd, from.tail);
  const offset = from.offset ?? 0;
  const { size } = fstatSync(fd);
  if (offset > size) throw new AppError("usage", `Cannot begin at byte ${offset}: the output has ${size} bytes`, { code: "offset_too_large" });
  return isTranscript ? nextLineStart(fd, offset) : offset;
}
