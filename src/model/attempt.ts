import { startStreamWatchdog, type SilenceLimits, type StreamWatchdog } from "./stream-watchdog.ts";

/** One try at a request: what may end it early, and what did. */
export interface Attempt {
  /** Aborted by the caller or by silence. */
  readonly signal: AbortSignal;
  readonly watchdog: StreamWatchdog;
  isAborted(): boolean;
  silentForMs(): number | undefined;
  /** Ends the request, if it still runs. */
  readonly cancel: () => void;
  dispose(): void;
}

/**
 * Ends a request when its caller aborts it or when it falls silent. The request gets a signal of its own, so that
 * nothing stays attached to the caller's after `dispose`.
 */
export function startAttempt(signal: AbortSignal, silence: SilenceLimits): Attempt {
  const controller = new AbortController();
  const cancel = () => controller.abort();
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel);
  let silentForMs: number | undefined;
  const watchdog = startStreamWatchdog(silence, (limitMs) => {
    silentForMs = limitMs;
    cancel();
  });
  return {
    signal: controller.signal,
    watchdog,
    isAborted: () => signal.aborted,
    silentForMs: () => silentForMs,
    cancel,
    dispose() {
      watchdog.pause();
      signal.removeEventListener("abort", cancel);
      cancel();
    },
  };
}
