import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { wholeCharactersLength } from "../lib/whole-characters.ts";
import { readFully } from "../platform/read-fully.ts";

/** A piece of a file. */
export interface OutputChunk<Data> {
  /** Empty at the end of the file. */
  readonly data: Data;
  /** Where the next piece begins, in bytes. */
  readonly nextOffset: number;
  /** The file is shorter than the offset that was asked for: it was cut, and reading began again at its start. */
  readonly isReset: boolean;
}

interface ReadOutputOptions {
  /** An open descriptor, or a path, whose last component may not be a link. */
  readonly source: { readonly fd: number } | { readonly path: string };
  readonly offset: number;
  /** At least four, the length of the longest character. */
  readonly bytesMax: number;
}

/**
 * Reads the next piece of an output file that may be growing. No character of UTF-8 is split: an incomplete one at the end
 * of a piece is left for the next, which begins with it. Only where nothing comes after it is it returned, alone.
 *
 * Throws the system's error.
 */
export function readOutput(options: ReadOutputOptions): OutputChunk<Uint8Array> {
  const { source, offset, bytesMax } = options;
  if ("fd" in source) return readChunk(source.fd, offset, bytesMax);
  const fd = openSync(source.path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    return readChunk(fd, offset, bytesMax);
  } finally {
    closeSync(fd);
  }
}

/** `readOutput` as text; bytes that are no UTF-8 become U+FFFD. */
export function readOutputText(options: ReadOutputOptions): OutputChunk<string> {
  const { data, ...position } = readOutput(options);
  return { ...position, data: Buffer.from(data.buffer, data.byteOffset, data.length).toString() };
}

function readChunk(fd: number, wantedOffset: number, bytesMax: number): OutputChunk<Uint8Array> {
  if (bytesMax < 4) throw new RangeError(`Cannot read pieces of ${bytesMax} bytes: a character may have 4`);
  const { size } = fstatSync(fd);
  const isReset = size < wantedOffset;
  const offset = isReset ? 0 : wantedOffset;
  const bytes = new Uint8Array(Math.min(bytesMax, size - offset));
  const length = readFully(fd, bytes, offset);
  // With nothing whole in it, the piece is the incomplete end of the file.
  const whole = wholeCharactersLength(bytes, length) || length;
  return { data: bytes.subarray(0, whole), nextOffset: offset + whole, isReset };
}
