import { characterStart } from "./character-start.ts";
import { clipLine } from "./clip-line.ts";
import type { HeadTailSnapshot } from "./head-tail.ts";
import { terminalText } from "./terminal-text.ts";
import { wholeCharactersLength } from "./whole-characters.ts";

/** Output as it is shown. */
export interface OutputExcerpt {
  readonly text: string;
  /** Whether lines were clipped or the middle was left out. */
  readonly isShortened: boolean;
}

/** UTF-16 units of one line that are shown. */
const LINE_CHARS_MAX = 2_000;

/**
 * The beginning and the end of a program's output as plain text, with a note that counts the bytes between.
 *
 * @param options.bytesMax bytes of UTF-8 of the text without the note
 */
export function outputExcerpt(snapshot: HeadTailSnapshot, options: { readonly bytesMax: number }): OutputExcerpt {
  if (snapshot.droppedBytes > 0) {
    const [head, tail] = [rendered(snapshot.head), rendered(snapshot.tail)];
    return { text: joined(head.bytes, tail.bytes, { ...options, bytesBetween: snapshot.droppedBytes }), isShortened: true };
  }
  const whole = rendered(Buffer.concat([snapshot.head, snapshot.tail]));
  if (whole.bytes.length <= options.bytesMax) return { text: whole.bytes.toString(), isShortened: whole.isClipped };
  // Both ends are cut from the same text, which overlaps itself by its whole length.
  return { text: joined(whole.bytes, whole.bytes, { ...options, bytesBetween: -whole.bytes.length }), isShortened: true };
}

function rendered(bytes: Uint8Array): { readonly bytes: Buffer; readonly isClipped: boolean } {
  const text = terminalText(new TextDecoder().decode(bytes));
  const clipped = text
    .split("\n")
    .map((line) => clipLine(line, LINE_CHARS_MAX))
    .join("\n");
  return { bytes: Buffer.from(clipped), isClipped: clipped.length !== text.length };
}

/** Half of the room for each end; what one end does not need goes to the other. */
function joined(
  head: Buffer,
  tail: Buffer,
  options: { readonly bytesMax: number; readonly bytesBetween: number },
): string {
  const headEnd = wholeCharactersLength(head, Math.min(head.length, Math.max(Math.floor(options.bytesMax / 2), options.bytesMax - tail.length)));
  const tailStart = characterStart(tail, Math.max(0, tail.length - (options.bytesMax - headEnd)));
  const omittedBytes = options.bytesBetween + (head.length - headEnd) + tailStart;
  return `${head.subarray(0, headEnd).toString()}\n[... ${omittedBytes} bytes of output left out ...]\n${tail.subarray(tailStart).toString()}`;
}
