import type { TaskId } from "../../src/core/task.ts";
import type { StateDirectory } from "../../src/platform/state-directory.ts";
import { openOutput } from "../../src/store/open-output.ts";

/** What a reader finds of an output: what stands together as one, by the offset of its first byte. */
export function keptOutput(directory: StateDirectory, id: TaskId): { readonly start: number; readonly text: string }[] {
  const reader = openOutput(directory, id);
  const found: { start: number; bytes: Uint8Array[] }[] = [{ start: 0, bytes: [] }];
  for (let offset = 0; ; ) {
    const { data, nextOffset, lostBytes } = reader.read({ offset, bytesMax: 1_000 });
    if (data.length === 0) break;
    if (lostBytes > 0) found.push({ start: nextOffset - data.length, bytes: [] });
    found.at(-1)?.bytes.push(data);
    offset = nextOffset;
  }
  reader.close();
  return found.map(({ start, bytes }) => ({ start, text: Buffer.concat(bytes).toString() }));
}
