/** Lets one part of the program sleep until another has news for it. */
export interface Wakeup {
  wake(): void;
  /** Resolves at the next `wake`, at once when there was one since the last wait, when aborted, or when time is up. */
  wait(options: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<void>;
}

export function createWakeup(): Wakeup {
  let hasNews = false;
  let resolveWait: (() => void) | undefined;
  return {
    wake() {
      hasNews = true;
      resolveWait?.();
    },
    async wait({ signal, timeoutMs }) {
      if (!hasNews && !signal.aborted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        const timer = setTimeout(resolve, timeoutMs);
        const onAbort = () => resolve();
        signal.addEventListener("abort", onAbort, { once: true });
        resolveWait = resolve;
        await promise;
        resolveWait = undefined;
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      }
      hasNews = false;
    },
  };
}
