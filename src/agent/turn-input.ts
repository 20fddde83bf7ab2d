import type { PendingInput } from "../core/notification.ts";

/** What comes into a conversation from outside while it goes on. */
export interface TurnInput {
  /** What waits right now; asked for between two turns. */
  pending(): Promise<readonly PendingInput[]>;
  /**
   * What comes next when the model has ended its turn, or was interrupted in it: waits for what the run still waits for.
   * Undefined when nothing comes any more.
   */
  next(why: "ended" | "interrupted"): Promise<readonly PendingInput[] | undefined>;
  /** Aborted when somebody wants the current turn to end and the conversation to go on. A new one for each turn. */
  turnSignal(): AbortSignal;
}
