import type { OutputStretch, TaskOutputReader } from "../core/task-output.ts";
import { characterStart } from "../lib/character-start.ts";
import type { HeadTailSnapshot } from "../lib/head-tail.ts";
import { wholeCharactersLength } from "../lib/whole-characters.ts";

/** What there is of an output. */
export interface OutputSnapshot {
  readonly snapshot: HeadTailSnapshot;
  /** Where the next look goes on. */
  readonly nextOffset: number;
  /** The ranges of the output that are kept nowhere, by offsets. */
  readonly lost: readonly { readonly start: number; readonly end: number }[];
}

/** Far more than is shown: redrawn lines shrink when they are rendered. */
const HEAD_BYTES_MAX = 64 * 1_024;
const TAIL_BYTES_MAX = 256 * 1_024;
const CHARACTER_BYTES_MAX = 4;

/**
 * The output of a task from `offset` to where it ends now, with its middle left out where it is long. Throws the
 * system's error.
 *
 * @param printedBytes how many bytes were printed in all, where that is known
 */
export function readOutputSnapshot(
  reader: TaskOutputReader,
  { offset, printedBytes = 0 }: { readonly offset: number; readonly printedBytes: number | undefined },
): OutputSnapshot {
  const stretches = reader.stretches();
  const last = stretches.at(-1) ?? stretches[0];
  const end = Math.max(last.end, printedBytes);
  const start = Math.min(offset, end);
  const kept = start < last.end ? keptFrom(start, { reader, last }) : { snapshot: NOTHING, nextOffset: start };
  return { ...kept, ...(end > last.end ? { nextOffset: end } : {}), lost: gapsFrom(start, { stretches, end }) };
}

const NOTHING: HeadTailSnapshot = { head: new Uint8Array(0), tail: new Uint8Array(0), totalBytes: 0, droppedBytes: 0 };

function keptFrom(
  start: number,
  { reader, last }: { readonly reader: TaskOutputReader; readonly last: OutputStretch },
): { readonly snapshot: HeadTailSnapshot; readonly nextOffset: number } {
  const first = reader.read({ offset: start, bytesMax: HEAD_BYTES_MAX + TAIL_BYTES_MAX });
  const { data, nextOffset } = first;
  // The first bytes of a character that is being written are left for the next look.
  const isAll = first.offset >= last.start && nextOffset > last.end - CHARACTER_BYTES_MAX;
  if (isAll) return { snapshot: { ...NOTHING, head: data, totalBytes: data.length }, nextOffset };
  const head = data.subarray(0, wholeCharactersLength(data, Math.min(data.length, HEAD_BYTES_MAX)));
  return withTail({ head, headEnd: first.offset + head.length, last });
}

function withTail({ head, headEnd, last }: { readonly head: Uint8Array; readonly headEnd: number; readonly last: OutputStretch }) {
  const from = Math.max(last.start, headEnd, last.end - TAIL_BYTES_MAX);
  const room = new Uint8Array(last.end - from);
  const bytes = room.subarray(0, wholeCharactersLength(room, last.readAt(room, from)));
  const tail = bytes.subarray(from === last.start || from === headEnd ? 0 : characterStart(bytes, 0));
  const nextOffset = from + bytes.length;
  const droppedBytes = nextOffset - tail.length - headEnd;
  return { snapshot: { head, tail, totalBytes: head.length + droppedBytes + tail.length, droppedBytes }, nextOffset };
}

function gapsFrom(
  start: number,
  { stretches, end }: { readonly stretches: readonly OutputStretch[]; readonly end: number },
): { readonly start: number; readonly end: number }[] {
  return stretches
    .map((stretch, index) => ({ start: Math.max(start, stretch.end), end: stretches[index + 1]?.start ?? end }))
    .filter((gap) => gap.start < gap.end);
}
