import { closeSync, fstatSync } from "node:fs";

/** The files that hold the rest of an output behind its beginning. */
export interface SegmentFiles {
  /** The offsets at which they begin, ascending. They may go at any time, the oldest first. */
  segmentOffsets(): readonly number[];
  /** The descriptor of the one that begins there; undefined when none does. */
  openSegment(offset: number): number | undefined;
}

/** A range of bytes by their offsets in an output. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Bytes that stand together in one file. */
export interface OutputPiece extends Extent {
  readonly fd: number;
  /** The offset of the first byte of the file. */
  readonly fileStart: number;
}

/** Finds bytes in segments that come and go. Holds one of them open: what it holds stays readable when it goes. */
export interface SegmentCursor {
  /** The bytes from an offset on, or those that come next behind a gap; undefined at the end. */
  pieceAt(offset: number): OutputPiece | undefined;
  /** Where the segments that are there begin and end, in their order. */
  extents(): Extent[];
  close(): void;
}

export function createSegmentCursor(files: SegmentFiles): SegmentCursor {
  let current: { readonly fd: number; readonly start: number } | undefined;

  function moveTo(start: number): boolean {
    if (current?.start === start) return true;
    const fd = files.openSegment(start);
    if (fd === undefined) return false;
    close();
    current = { fd, start };
    return true;
  }

  function close(): void {
    if (current !== undefined) closeSync(current.fd);
    current = undefined;
  }

  function currentPiece(offset: number): OutputPiece | undefined {
    if (current === undefined || offset < current.start) return undefined;
    const end = current.start + fstatSync(current.fd).size;
    return offset < end ? { fd: current.fd, fileStart: current.start, start: offset, end } : undefined;
  }

  /** Whether nothing can stand at an offset because it is where the last segment ends. */
  function isEnd(offset: number): boolean {
    if (current === undefined) return false;
    const { nlink, size } = fstatSync(current.fd);
    return nlink > 0 && current.start + size === offset;
  }

  function search(offset: number): OutputPiece | undefined {
    const found = firstFrom(offset, files.segmentOffsets());
    if (found === undefined || found.start === offset) return found;
    // A list may lack what was made while it was read, and so show a gap where there is none. The next list has it.
    return firstFrom(offset, files.segmentOffsets());
  }

  function firstFrom(offset: number, starts: readonly number[]): OutputPiece | undefined {
    const before = starts.findLastIndex((start) => start <= offset);
    for (const start of starts.slice(Math.max(0, before))) {
      const piece = moveTo(start) ? currentPiece(Math.max(offset, start)) : undefined;
      if (piece !== undefined) return piece;
    }
    return undefined;
  }

  return {
    pieceAt(offset) {
      const piece = currentPiece(offset);
      if (piece !== undefined) return piece;
      // A segment begins where the one before it ends.
      if (moveTo(offset)) return currentPiece(offset);
      return isEnd(offset) ? undefined : search(offset);
    },
    extents: () => files.segmentOffsets().flatMap((start) => extentOf(files, start)),
    close,
  };
}

function extentOf(files: SegmentFiles, start: number): Extent[] {
  const fd = files.openSegment(start);
  if (fd === undefined) return [];
  try {
    return [{ start, end: start + fstatSync(fd).size }];
  } finally {
    closeSync(fd);
  }
}
