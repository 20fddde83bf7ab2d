import type { TaskId } from "../core/task.ts";
import { readFully } from "../platform/read-fully.ts";

/**
 * What stands in a task's file behind the beginning of its output where the rest is elsewhere. It is no output: it tells
 * people, and readers, where the output that the file holds ends.
 */
export function outputMark(id: TaskId, headBytes: number): string {
  return `\n[Output cut here after ${headBytes} bytes; what is kept of the rest: agent logs --offset ${headBytes} ${id}]\n`;
}

const DIGITS_MAX = 16;

/**
 * How many bytes of output a task's file holds, when it ends with a mark; undefined while it does not.
 *
 * @param file.size of the file now
 */
export function markedHeadBytes(id: TaskId, file: { readonly fd: number; readonly size: number }): number | undefined {
  const longest = outputMark(id, 10 ** DIGITS_MAX - 1).length;
  const room = new Uint8Array(Math.min(longest, file.size));
  const end = Buffer.from(room.buffer, 0, readFully(file.fd, room, file.size - room.length)).toString("latin1");
  const headBytes = Number(/\n\[Output cut here after (\d{1,16}) bytes;[^\n]*\]\n$/.exec(end)?.[1]);
  const mark = outputMark(id, headBytes);
  // Output that quotes a mark, its own or another task's, stands at another place than the mark says.
  return end.endsWith(mark) && headBytes + mark.length === file.size ? headBytes : undefined;
}
