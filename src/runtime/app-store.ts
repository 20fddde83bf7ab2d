import type { AppState, SetAppState } from "../core/task-state.ts";

/** The state of a run. */
export interface AppStore {
  readonly get: () => AppState;
  /** An update that returns the same reference changes nothing. */
  readonly set: SetAppState;
  /** Calls `listener` after each change. Returns how to stop that. */
  subscribe(listener: () => void): () => void;
}

export function createAppStore(): AppStore {
  const listeners = new Set<() => void>();
  let state: AppState = { tasks: {}, effects: new Map() };
  return {
    get: () => state,
    set(update) {
      const next = update(state);
      if (next === state) return;
      state = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
