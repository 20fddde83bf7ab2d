import { AppError } from "../../core/errors.ts";
import { nextLineStart, offsetOfLastLines } from "../../store/line-offsets.ts";
import type { OpenLog } from "./open-log.ts";

/**
 * Where printing begins, in bytes. In a transcript that is always the beginning of a line.
 *
 * Rejects with an `AppError` of reason `usage` for an offset behind the end of the output.
 */
export async function logStart(
  { reader, isTranscript, look }: Pick<OpenLog, "reader" | "isTranscript" | "look">,
  from: { readonly offset: number | undefined; readonly tail: number | undefined },
): Promise<number> {
  const { printedBytes = 0 } = await look();
  const stretches = reader.stretches();
  const last = stretches.at(-1) ?? stretches[0];
  if (from.tail !== undefined) return offsetOfLastLines(last, from.tail);
  const offset = from.offset ?? 0;
  const end = Math.max(last.end, printedBytes);
  if (offset > end) throw new AppError("usage", `Cannot begin at byte ${offset}: the output has ${end} bytes`, { code: "offset_too_large" });
  return isTranscript ? nextLineStart(last, offset) : offset;
}
