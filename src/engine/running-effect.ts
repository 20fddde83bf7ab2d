import type { RunningEffect, SetAppState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";

/** Makes a running task stoppable. The effect is forgotten when the task ends. */
export function rememberEffect(id: TaskId, effect: RunningEffect, setAppState: SetAppState): void {
  setAppState((state) => ({ ...state, effects: { ...state.effects, [id]: effect } }));
}

export function forgetEffect(id: TaskId, setAppState: SetAppState): void {
  setAppState((state) => {
    if (state.effects[id] === undefined) return state;
    const { [id]: _ended, ...others } = state.effects;
    return { ...state, effects: others };
  });
}

/** Ends what is being done for a task; at once where nothing is. Needs no more than `setAppState`. */
export async function stopEffect(id: TaskId, setAppState: SetAppState): Promise<void> {
  let effect: RunningEffect | undefined;
  setAppState((state) => {
    effect = state.effects[id];
    return state;
  });
  await effect?.stop();
}
