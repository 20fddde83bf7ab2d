import { closeSync, fstatSync } from "node:fs";
import type { OutputChunk, OutputStretch, TaskOutputReader } from "../core/task-output.ts";
import { wholeCharactersLength } from "../lib/whole-characters.ts";
import { readFully } from "../platform/read-fully.ts";
import { createSegmentCursor, type Extent, type OutputPiece, type SegmentFiles } from "./segment-cursor.ts";

/** The files of one output. */
export interface OutputFiles extends SegmentFiles {
  /** The file of the beginning; closed with the reader. */
  readonly headFd: number;
  /** How many bytes of it are output where the rest is elsewhere; undefined while all are. */
  headBytes(size: number): number | undefined;
}

const CHARACTER_BYTES_MAX = 4;

/** Reads one output across its files. */
export function createOutputReader(files: OutputFiles): TaskOutputReader {
  const { headFd } = files;
  const segments = createSegmentCursor(files);
  let known = { size: -1, end: 0, isCut: false };

  function head(): { readonly end: number; readonly isCut: boolean } {
    const { size } = fstatSync(headFd);
    if (size !== known.size) {
      const headBytes = files.headBytes(size);
      known = { size, end: headBytes ?? size, isCut: headBytes !== undefined };
    }
    return known;
  }

  function pieceAt(offset: number): OutputPiece | undefined {
    const { end, isCut } = head();
    if (offset < end) return { fd: headFd, fileStart: 0, start: offset, end };
    return isCut ? segments.pieceAt(offset) : undefined;
  }

  /** Reads what follows without a gap, and says whether a gap is what ended it. */
  function fill(bytes: Uint8Array, first: OutputPiece): { readonly length: number; readonly isBeforeGap: boolean } {
    let length = 0;
    for (let piece: OutputPiece | undefined = first; piece !== undefined; piece = length < bytes.length ? pieceAt(first.start + length) : undefined) {
      if (piece.start > first.start + length) return { length, isBeforeGap: true };
      const room = bytes.subarray(length, length + piece.end - piece.start);
      const count = readFully(piece.fd, room, piece.start - piece.fileStart);
      length += count;
      if (count < room.length) break;
    }
    return { length, isBeforeGap: false };
  }

  function read({ offset, bytesMax }: { readonly offset: number; readonly bytesMax: number }): OutputChunk {
    if (bytesMax < CHARACTER_BYTES_MAX) throw new RangeError(`Cannot read pieces of ${bytesMax} bytes: a character may have ${CHARACTER_BYTES_MAX}`);
    const { end, isCut } = head();
    const isReset = !isCut && end < offset;
    const from = isReset ? 0 : offset;
    const first = pieceAt(from);
    if (first === undefined) return { data: new Uint8Array(0), offset: from, nextOffset: from, lostBytes: 0, isReset };
    const bytes = new Uint8Array(isCut ? bytesMax : Math.min(bytesMax, first.end - first.start));
    const { length, isBeforeGap } = fill(bytes, first);
    // What stands before a gap, or with nothing whole before it at the end, will not be completed.
    const whole = isBeforeGap ? length : wholeCharactersLength(bytes, length) || length;
    return { data: bytes.subarray(0, whole), offset: first.start, nextOffset: first.start + whole, lostBytes: first.start - from, isReset };
  }

  function readAt(bytes: Uint8Array, offset: number): number {
    const first = pieceAt(offset);
    return first?.start === offset ? fill(bytes, first).length : 0;
  }

  function stretches(): readonly [OutputStretch, ...OutputStretch[]] {
    const { end, isCut } = head();
    const [first, ...others] = joined([{ start: 0, end }, ...(isCut ? segments.extents() : [])]);
    return [{ ...first, readAt }, ...others.map((extent) => ({ ...extent, readAt }))];
  }

  return {
    read,
    stretches,
    close() {
      segments.close();
      closeSync(headFd);
    },
  };
}

/** Extents that follow each other without a gap become one. */
function joined([first, ...others]: readonly [Extent, ...Extent[]]): readonly [Extent, ...Extent[]] {
  const stretches: [Extent, ...Extent[]] = [first];
  for (const extent of others) {
    const last = stretches.at(-1) ?? first;
    if (extent.start === last.end) stretches[stretches.length - 1] = { start: last.start, end: extent.end };
    else stretches.push(extent);
  }
  return stretches;
}
