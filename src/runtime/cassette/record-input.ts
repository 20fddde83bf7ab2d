import type { TurnInput } from "../../agent/turn-input.ts";
import type { PendingInput } from "../../core/notification.ts";
import { runStopOf } from "../run-request.ts";
import type { TapeLine } from "./cassette-line.ts";

/** Records what comes into a conversation from outside, and that somebody interrupted a turn of it. */
export function recordInput(inner: TurnInput, { write, isStopped }: { readonly write: (line: TapeLine) => void; readonly isStopped: () => boolean }): TurnInput {
  const heard = new WeakSet<AbortSignal>();
  return {
    async pending() {
      const input = await inner.pending();
      // Between two turns mostly nothing waits.
      if (input.length > 0) write({ type: "input", at: "pending", input: texts(input) });
      return input;
    },
    async next(why) {
      const input = await inner.next(why);
      write({ type: "input", at: why, input: input === undefined ? null : texts(input) });
      return input;
    },
    turnSignal() {
      const signal = inner.turnSignal();
      if (!heard.has(signal)) {
        heard.add(signal);
        signal.addEventListener("abort", () => (isStopped() ? undefined : write({ type: "stop", scope: "turn", ...runStopOf(signal.reason) })), { once: true });
      }
      return signal;
    },
  };
}

function texts(input: readonly PendingInput[]): { readonly text: string }[] {
  return input.map(({ text }) => ({ text }));
}
