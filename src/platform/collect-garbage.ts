/**
 * Collects garbage each time so much of it has come about. The engine does not count what stands outside its heap, as
 * the bytes of requests, and lets a long conversation take a hundred megabytes that nobody uses.
 *
 * @param collect the engine's own unless given
 */
export function createGarbageMeter(collect: () => void = () => Bun.gc(true)): (bytes: number) => void {
  let pending = 0;
  return (bytes) => {
    pending += bytes;
    if (pending < GARBAGE_BYTES_MAX) return;
    pending = 0;
    collect();
  };
}

const GARBAGE_BYTES_MAX = 1.5 * 1_048_576;
