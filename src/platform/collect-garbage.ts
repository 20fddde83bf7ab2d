/** When garbage may be collected again. One for a process: a collection goes through all of its memory. */
export interface CollectionPace {
  /** In milliseconds, of the same clock as `now`. */
  notBefore: number;
}

/**
 * Collects garbage each time so much of it has come about. The engine does not count what stands outside its heap, as
 * the bytes of requests, and lets a long conversation take a hundred megabytes that nobody uses.
 *
 * However many conversations go on and however large they are, collecting takes at most a quarter of the time.
 *
 * @param means the engine's own and one pace for the process unless given
 */
export function createGarbageMeter(
  means: { readonly collect?: () => void; readonly now?: () => number; readonly pace?: CollectionPace } = {},
): (bytes: number) => void {
  const { collect = () => Bun.gc(true), now = () => performance.now(), pace = PACE } = means;
  let pending = 0;
  return (bytes) => {
    pending += bytes;
    const startedAt = now();
    if (pending < GARBAGE_BYTES_MAX || startedAt < pace.notBefore) return;
    pending = 0;
    collect();
    const endedAt = now();
    pace.notBefore = endedAt + (endedAt - startedAt) * REST;
  };
}

const GARBAGE_BYTES_MAX = 1.5 * 1_048_576;
/** How many times as long as a collection took nothing is collected. */
const REST = 3;
const PACE: CollectionPace = { notBefore: 0 };
