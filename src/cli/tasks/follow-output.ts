import type { TaskOutputReader } from "../../core/task-output.ts";
import { wholeCharactersLength } from "../../lib/whole-characters.ts";

/** A piece of an output. No character of UTF-8 is cut. */
export interface OutputPiece {
  readonly offset: number;
  readonly nextOffset: number;
  /** Empty where nothing follows what is lost. */
  readonly bytes: Uint8Array;
  /** How many bytes right before the piece were printed and are kept nowhere. */
  readonly lostBytes: number;
  /** The output became shorter than what was read of it, and is read again from its start. */
  readonly isReset: boolean;
}

export interface FollowOptions {
  readonly reader: Pick<TaskOutputReader, "read">;
  readonly offset: number;
  /** Whether to wait for more at the end of the output, until nobody adds to it any more. */
  readonly isFollowing: boolean;
  /**
   * Whether nobody adds to the output any more; then also how many bytes were printed in all, where that is on record.
   * Asked before each look at the output, so that nothing is missed.
   */
  readonly look: () => Promise<OutputState>;
  /** Whether nobody wants to read any more. */
  readonly isStopped: () => boolean;
}

export interface OutputState {
  readonly isComplete: boolean;
  readonly printedBytes?: number | undefined;
}

const PIECE_BYTES_MAX = 65_536;
const POLL_MS = 50;

/** Reads an output piece by piece, while it grows if that is wanted. Throws the system's error. */
export async function* followOutput({ reader, offset, isFollowing, look, isStopped }: FollowOptions): AsyncGenerator<OutputPiece> {
  let position = offset;
  while (!isStopped()) {
    const { isComplete, printedBytes } = await look();
    const { data: bytes, ...chunk } = reader.read({ offset: position, bytesMax: PIECE_BYTES_MAX });
    // The rest of a character that stands there in part is on its way while somebody writes.
    const isReadable = bytes.length > 0 && (isComplete || wholeCharactersLength(bytes) > 0);
    if (isReadable || chunk.isReset) {
      yield { ...chunk, bytes };
      position = chunk.nextOffset;
    } else if (isComplete) {
      if (printedBytes !== undefined && printedBytes > position) yield lostEnd(position, printedBytes);
      return;
    } else if (isFollowing) await Bun.sleep(POLL_MS);
    else return;
  }
}

function lostEnd(start: number, end: number): OutputPiece {
  return { offset: end, nextOffset: end, bytes: new Uint8Array(0), lostBytes: end - start, isReset: false };
}
