import type { StopReason } from "../core/agent.ts";
import type { PendingInput } from "../core/notification.ts";
import { inputDeliveries } from "./input-blocks.ts";

/** Remembers what an agent has said last to end its turn, for as long as nothing has happened since. */
export interface FinalAnswer {
  /** Takes note of an end of a turn. */
  said(text: string): void;
  /** Takes note that the agent works on. */
  workedOn(): void;
  /** Takes note of what came in; what the program only reminds of leaves an answer as it is. */
  heard(input: readonly PendingInput[]): void;
  /** How the conversation ends: an answer that was given stands, and saying nothing at all is none. */
  settle(stop: StopReason): StopReason;
}

export function createFinalAnswer(): FinalAnswer {
  let answer = "";
  return {
    said(text) {
      if (text.trim() !== "") answer = text;
    },
    workedOn() {
      answer = "";
    },
    heard(input) {
      if (inputDeliveries(input).length > 0) answer = "";
    },
    settle(stop) {
      if (stop.type !== "end_turn" || stop.text.trim() !== "") return stop;
      return answer === "" ? { type: "no_answer", message: "The model ended its turn without an answer, also when it was asked for one" } : { type: "end_turn", text: answer };
    },
  };
}
