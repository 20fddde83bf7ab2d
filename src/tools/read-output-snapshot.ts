import { closeSync, constants, fstatSync, openSync, realpathSync } from "node:fs";
import { AppError, errorMessage } from "../core/errors.ts";
import { characterStart } from "../lib/character-start.ts";
import type { HeadTailSnapshot } from "../lib/head-tail.ts";
import { readOutput } from "../store/output-reader.ts";

/** Far more than is shown: redrawn lines shrink when they are rendered. */
const HEAD_BYTES_MAX = 64 * 1_024;
const TAIL_BYTES_MAX = 256 * 1_024;

/**
 * The output of a task from `offset` to where it ends now, with its middle left out where it is long. The output of an
 * agent is a link to its transcript.
 *
 * Throws an `AppError` of reason `storage` when the file cannot be read.
 */
export function readOutputSnapshot(
  outputFile: string,
  offset: number,
): { readonly snapshot: HeadTailSnapshot; readonly nextOffset: number } {
  try {
    const fd = openSync(realpathSync(outputFile), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      return snapshotOf(fd, offset, fstatSync(fd).size);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    throw new AppError("storage", `Cannot read "${outputFile}": ${errorMessage(error)}`, { cause: error });
  }
}

function snapshotOf(fd: number, offset: number, size: number): { snapshot: HeadTailSnapshot; nextOffset: number } {
  const totalBytes = Math.max(0, size - offset);
  if (totalBytes <= HEAD_BYTES_MAX + TAIL_BYTES_MAX) {
    const whole = readOutput({ source: { fd }, offset: Math.min(offset, size), bytesMax: HEAD_BYTES_MAX + TAIL_BYTES_MAX });
    return { snapshot: { head: whole.data, tail: new Uint8Array(0), totalBytes, droppedBytes: 0 }, nextOffset: whole.nextOffset };
  }
  const head = readOutput({ source: { fd }, offset, bytesMax: HEAD_BYTES_MAX });
  const last = readOutput({ source: { fd }, offset: size - TAIL_BYTES_MAX, bytesMax: TAIL_BYTES_MAX });
  const tail = last.data.subarray(characterStart(last.data, 0));
  const droppedBytes = last.nextOffset - tail.length - head.nextOffset;
  return { snapshot: { head: head.data, tail, totalBytes, droppedBytes }, nextOffset: last.nextOffset };
}
