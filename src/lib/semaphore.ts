/** Lets so many do something at the same time, the others in the order in which they came. */
export interface Semaphore {
  /** Resolves, with what gives the place back, when there is one; rejects with the signal's reason when that is aborted first. */
  acquire(signal: AbortSignal): Promise<() => void>;
  /** Changes how many; those who have a place keep it. */
  resize(places: number): void;
  readonly places: number;
  /** How many have a place. */
  readonly taken: number;
}

/** @param places at least 1 */
export function createSemaphore(places: number): Semaphore {
  let size = places;
  let taken = 0;
  const waiting = new Set<() => void>();

  function admit(): void {
    for (const enter of waiting) {
      if (taken >= size) return;
      waiting.delete(enter);
      enter();
    }
  }

  function release(): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      taken--;
      admit();
    };
  }

  return {
    get places() {
      return size;
    },
    get taken() {
      return taken;
    },
    resize(next) {
      size = Math.max(1, next);
      admit();
    },
    async acquire(signal) {
      signal.throwIfAborted();
      if (taken < size && waiting.size === 0) {
        taken++;
        return release();
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const enter = () => {
        taken++;
        resolve();
      };
      const leave = () => {
        if (waiting.delete(enter)) reject(signal.reason);
      };
      waiting.add(enter);
      signal.addEventListener("abort", leave, { once: true });
      try {
        await promise;
      } finally {
        signal.removeEventListener("abort", leave);
      }
      return release();
    },
  };
}
