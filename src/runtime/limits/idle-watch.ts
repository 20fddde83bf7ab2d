import { startActiveTimer } from "../../lib/active-timer.ts";
import type { RunStop } from "../run-request.ts";

/** Ends a run in which nothing happens any more. */
export interface IdleWatch {
  /** Something has happened, or will after a wait that is known. */
  touch(afterMs?: number): void;
  /** Something is going on that bounds itself: until `release`, silence does not count. */
  hold(key: unknown): void;
  release(key: unknown): void;
  end(): void;
}

/**
 * Stops a run once, when nothing has happened for `limitMs`. Time in which the clock stands still does not count.
 *
 * @param options.activeMs the clock
 */
export function startIdleWatch(options: { readonly limitMs: number; readonly activeMs: () => number; readonly stop: (stop: RunStop) => void }): IdleWatch {
  const { limitMs, activeMs, stop } = options;
  const held = new Set<unknown>();
  let heardAt = activeMs();
  let cancel = wait(limitMs);

  /** One timer at a time, looked at when it is due: a reply has many events. */
  function wait(forMs: number): () => void {
    return startActiveTimer({ limitMs: forMs, activeMs, onDue: check });
  }

  function touch(afterMs = 0): void {
    heardAt = Math.max(heardAt, activeMs() + afterMs);
  }

  function check(): void {
    if (held.size > 0) touch();
    const leftMs = heardAt + limitMs - activeMs();
    if (leftMs > 0) cancel = wait(leftMs);
    else stop({ reason: "stalled", message: `Stopped: nothing has happened for ${limitMs / 1_000} s, which is the --idle-timeout of the run` });
  }

  return {
    touch,
    hold: (key) => void held.add(key),
    release(key) {
      if (held.delete(key)) touch();
    },
    end: () => cancel(),
  };
}
