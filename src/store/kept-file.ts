import { closeSync, ftruncateSync } from "node:fs";
import { wholeCharactersLength } from "../lib/whole-characters.ts";
import { writeFully, type WriteSync } from "../platform/write-fully.ts";

/** A file that takes a part of an output and knows how much of it is there. */
export interface KeptFile {
  readonly size: number;
  /** Throws the system's error; then the whole characters that found room are there. */
  append(bytes: Uint8Array): void;
  close(): void;
}

/** @param fd open for appending and empty; closed by `close` */
export function createKeptFile(fd: number, write: WriteSync): KeptFile {
  let size = 0;
  let isOpen = true;

  function cutBack(to: number): void {
    try {
      ftruncateSync(fd, to);
      size = to;
    } catch {
      // Then a part of a character stays, as one that a program left unfinished.
    }
  }

  return {
    get size() {
      return size;
    },
    append(bytes) {
      const before = size;
      try {
        writeFully(fd, bytes, (...call) => {
          const count = write(...call);
          size += count;
          return count;
        });
      } catch (error) {
        const whole = before + wholeCharactersLength(bytes, size - before);
        if (whole < size) cutBack(whole);
        throw error;
      }
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}
