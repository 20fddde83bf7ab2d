/** Timers cannot wait for longer at once. */
const WAIT_MS_MAX = 2 ** 31 - 1;

/**
 * Calls `onDue` once when a limit of active time has passed. A clock that stood still while a timer went on makes the
 * timer wait for the rest.
 *
 * @param options.activeMs the clock
 * @returns what calls it off
 */
export function startActiveTimer(options: {
  readonly limitMs: number;
  readonly activeMs: () => number;
  readonly onDue: () => void;
}): () => void {
  const dueAt = options.activeMs() + options.limitMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  wait();
  return () => clearTimeout(timer);

  function wait(): void {
    timer = setTimeout(check, Math.min(WAIT_MS_MAX, Math.max(1, dueAt - options.activeMs())));
  }

  function check(): void {
    if (options.activeMs() >= dueAt) options.onDue();
    else wait();
  }
}
