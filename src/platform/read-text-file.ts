import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { readFully } from "./read-fully.ts";

/** The text of a file, or the start of it. */
export interface FileText {
  readonly text: string;
  /** Whether the file goes on. */
  readonly isCut: boolean;
}

/**
 * A regular file as text; undefined when it is something else. Never waits, as opening a pipe would, and
 * follows a link in the last component only where `followLinks` is set.
 *
 * Throws the system's error when the file cannot be opened or read.
 *
 * @param options.bytesMax what is beyond is left out, at a character boundary
 */
export function readTextFile(path: string, options: { readonly bytesMax: number; readonly followLinks?: boolean }): FileText | undefined {
  const noFollow = options.followLinks === true ? 0 : (constants.O_NOFOLLOW ?? 0);
  const fd = openSync(path, constants.O_RDONLY | noFollow | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    const bytes = new Uint8Array(Math.min(stat.size, options.bytesMax));
    const length = readFully(fd, bytes);
    // In a stream the decoder keeps an incomplete last character for itself instead of replacing it.
    const isCut = length < stat.size;
    return { text: new TextDecoder().decode(bytes.subarray(0, length), { stream: isCut }), isCut };
  } finally {
    closeSync(fd);
  }
}
