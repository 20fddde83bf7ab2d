/** How long a reply may be silent, in milliseconds. */
export interface SilenceLimits {
  /** Without anything at all. */
  readonly silentMs: number;
  /** Without a part of the reply, though pings say that the connection lives. */
  readonly pingsOnlyMs: number;
}

export interface StreamWatchdog {
  /** Something arrived that is no part of the reply. */
  heardPing(): void;
  /** Nothing is waited for, as while the reader of the reply is busy. */
  pause(): void;
  /** A part of the reply arrived and the next one is waited for. */
  restart(): void;
}

/**
 * Calls `onSilence` once when a reply was silent for too long. A request's own time limit covers only the wait for
 * headers, and a connection whose other end vanished says nothing at all. Runs from the start; `pause` ends it.
 */
export function startStreamWatchdog(limits: SilenceLimits, onSilence: (silentForMs: number) => void): StreamWatchdog {
  let timers: NodeJS.Timeout[] = [];
  const pause = () => {
    for (const timer of timers) clearTimeout(timer);
    timers = [];
  };
  const restart = () => {
    pause();
    timers = [limits.silentMs, limits.pingsOnlyMs].map((limitMs) =>
      setTimeout(() => {
        pause();
        onSilence(limitMs);
      }, limitMs),
    );
  };
  restart();
  return { heardPing: () => timers[0]?.refresh(), pause, restart };
}
