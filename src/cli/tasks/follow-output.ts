import { wholeCharactersLength } from "../../lib/whole-characters.ts";
import { readOutput } from "../../store/output-reader.ts";

/** A piece of an output file. No character of UTF-8 is cut. */
export interface OutputPiece {
  readonly offset: number;
  readonly nextOffset: number;
  readonly bytes: Uint8Array;
}

export interface FollowOptions {
  readonly fd: number;
  readonly offset: number;
  /** Whether to wait for more at the end of the file, until nobody writes to it any more. */
  readonly isFollowing: boolean;
  /** Whether nobody writes to the file any more. Asked before each look at the file, so that nothing is missed. */
  readonly isComplete: () => Promise<boolean>;
  /** Whether nobody wants to read any more. */
  readonly isStopped: () => boolean;
}

const PIECE_BYTES_MAX = 65_536;
const POLL_MS = 50;

/** Reads an output file piece by piece, while it grows if that is wanted. Throws the system's error. */
export async function* followOutput({ fd, offset, isFollowing, isComplete, isStopped }: FollowOptions): AsyncGenerator<OutputPiece> {
  let position = offset;
  while (!isStopped()) {
    const isLast = await isComplete();
    const { data, nextOffset } = readOutput({ source: { fd }, offset: position, bytesMax: PIECE_BYTES_MAX });
    // The rest of a character that stands there in part is on its way while somebody writes.
    const isReadable = data.length > 0 && (isLast || wholeCharactersLength(data) > 0);
    if (isReadable) {
      yield { offset: nextOffset - data.length, nextOffset, bytes: data };
      position = nextOffset;
    } else if (isLast || !isFollowing) return;
    else await Bun.sleep(POLL_MS);
  }
}
