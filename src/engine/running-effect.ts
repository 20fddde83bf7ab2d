import type { RunningEffect, SetAppState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";

/** Makes a running task stoppable. The effect is forgotten when the task ends. */
export function rememberEffect(id: TaskId, effect: RunningEffect, setAppState: SetAppState): void {
  setAppState((state) => {
    state.effects.set(id, effect);
    return state;
  });
}

export function forgetEffect(id: TaskId, setAppState: SetAppState): void {
  setAppState((state) => {
    state.effects.delete(id);
    return state;
  });
}

/** Ends what is being done for a task; at once where nothing is. Needs no more than `setAppState`. */
export async function stopEffect(id: TaskId, setAppState: SetAppState): Promise<void> {
  let effect: RunningEffect | undefined;
  setAppState((state) => {
    effect = state.effects.get(id);
    return state;
  });
  await effect?.stop();
}
