/** A clock that can stand still. */
export interface ActiveClock {
  /** Milliseconds from a fixed point, without the time in which the clock stood still. */
  activeMs(): number;
  pause(): void;
  resume(): void;
  isPaused(): boolean;
}

/** @param now milliseconds from any fixed point */
export function createActiveClock(now: () => number = () => performance.now()): ActiveClock {
  let pausedMs = 0;
  let pausedAt: number | undefined;
  return {
    activeMs: () => (pausedAt ?? now()) - pausedMs,
    pause() {
      pausedAt ??= now();
    },
    resume() {
      if (pausedAt !== undefined) pausedMs += now() - pausedAt;
      pausedAt = undefined;
    },
    isPaused: () => pausedAt !== undefined,
  };
}
