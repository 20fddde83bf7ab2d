import type { AppState, SetAppState } from "../core/task-state.ts";

/** Holds the state of a run. `set` with an update that returns the same reference changes nothing. */
export function createAppStore(): { readonly get: () => AppState; readonly set: SetAppState } {
  let state: AppState = { tasks: {}, effects: {} };
  return {
    get: () => state,
    set(update) {
      state = update(state);
    },
  };
}
