/** Lets parts of the program sleep until another has news for them. */
export interface Wakeup {
  wake(): void;
  /** How often there was news: to be asked before one looks for it. */
  count(): number;
  /** Resolves when there has been news since `count` said `since`, when aborted, or when time is up. */
  wait(options: { readonly since: number; readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<void>;
}

export function createWakeup(): Wakeup {
  const sleepers = new Set<() => void>();
  let count = 0;
  return {
    wake() {
      count++;
      for (const awake of sleepers) awake();
    },
    count: () => count,
    async wait({ since, signal, timeoutMs }) {
      if (count !== since || signal.aborted) return;
      const { promise, resolve: awake } = Promise.withResolvers<void>();
      const timer = setTimeout(awake, timeoutMs);
      signal.addEventListener("abort", () => awake(), { once: true });
      sleepers.add(awake);
      await promise;
      sleepers.delete(awake);
      clearTimeout(timer);
    },
  };
}
