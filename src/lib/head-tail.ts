import { characterStart } from "./character-start.ts";
import { wholeCharactersLength } from "./whole-characters.ts";

/** Keeps the beginning and the end of a stream of bytes in bounded memory. */
export interface HeadTail {
  append(bytes: Uint8Array): void;
  snapshot(): HeadTailSnapshot;
}

/** Where `droppedBytes` is 0, head and tail are the whole stream; otherwise both are cut between characters. */
export interface HeadTailSnapshot {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly totalBytes: number;
  /** Exactly what is missing between head and tail. */
  readonly droppedBytes: number;
}

/** Memory is taken as output arrives: at most `headBytesMax` and twice `tailBytesMax`. */
export function createHeadTail(limits: { readonly headBytesMax: number; readonly tailBytesMax: number }): HeadTail {
  const head = createGrowingBuffer(limits.headBytesMax);
  // Twice the tail, so that the kept half moves to the front only once per tail and not at every append.
  const tail = createGrowingBuffer(limits.tailBytesMax * 2);
  let totalBytes = 0;

  function appendToTail(bytes: Uint8Array): void {
    if (tail.length + bytes.length > limits.tailBytesMax * 2) tail.keepLast(limits.tailBytesMax);
    tail.append(bytes.subarray(Math.max(0, bytes.length - limits.tailBytesMax)));
  }

  return {
    append(bytes) {
      totalBytes += bytes.length;
      const toHead = bytes.subarray(0, limits.headBytesMax - head.length);
      head.append(toHead);
      if (toHead.length < bytes.length) appendToTail(bytes.subarray(toHead.length));
    },
    snapshot() {
      if (totalBytes - head.length <= limits.tailBytesMax) {
        return { head: head.last(head.length), tail: tail.last(totalBytes - head.length), totalBytes, droppedBytes: 0 };
      }
      const all = head.last(head.length);
      const keptHead = all.subarray(0, wholeCharactersLength(all));
      const last = tail.last(limits.tailBytesMax);
      const keptTail = last.subarray(characterStart(last, 0));
      return { head: keptHead, tail: keptTail, totalBytes, droppedBytes: totalBytes - keptHead.length - keptTail.length };
    },
  };
}

interface GrowingBuffer {
  readonly length: number;
  append(bytes: Uint8Array): void;
  keepLast(count: number): void;
  /** A copy of the last `count` bytes. */
  last(count: number): Uint8Array;
}

const FIRST_CAPACITY_BYTES = 4_096;

function createGrowingBuffer(capacityMax: number): GrowingBuffer {
  let bytes = new Uint8Array(0);
  let length = 0;

  function reserve(needed: number): void {
    if (needed <= bytes.length) return;
    const larger = new Uint8Array(Math.min(capacityMax, Math.max(needed, bytes.length * 2, FIRST_CAPACITY_BYTES)));
    larger.set(bytes.subarray(0, length));
    bytes = larger;
  }

  return {
    get length() {
      return length;
    },
    append(added) {
      reserve(length + added.length);
      bytes.set(added, length);
      length += added.length;
    },
    keepLast(count) {
      if (length <= count) return;
      bytes.copyWithin(0, length - count, length);
      length = count;
    },
    last: (count) => bytes.slice(Math.max(0, length - count), length),
  };
}
