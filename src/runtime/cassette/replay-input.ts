import type { TurnInput } from "../../agent/turn-input.ts";
import type { RunStop } from "../run-request.ts";
import type { Player } from "./player.ts";

/** What came into a recorded conversation from outside. What comes in now is not heard. */
export interface ReplayedInput {
  wrap(inner: TurnInput): TurnInput;
  /** Ends the current turn, as somebody did then. */
  interrupt(stop: RunStop): void;
}

export function replayInput(player: Player): ReplayedInput {
  let turn = new AbortController();
  return {
    wrap: (inner) => ({
      pending: async () => player.takeIf("input", ({ at }) => at === "pending")?.input ?? [],
      async next(why) {
        const { at, input } = player.take("input");
        if (at !== why) throw player.miss(`the turn has ${why}, and the recorded one has ${at}`);
        return input ?? undefined;
      },
      turnSignal() {
        if (turn.signal.aborted) turn = new AbortController();
        return AbortSignal.any([inner.turnSignal(), turn.signal]);
      },
    }),
    interrupt: (stop) => turn.abort(stop),
  };
}
