import { NOTHING_TRIED, type RecoveryState } from "./recovery/decide-recovery.ts";
import type { LoopState } from "./loop-state.ts";

/** What has gone into getting one reply so far, and how it is asked for next. */
export interface ReplyEffort {
  state: RecoveryState;
  outputTokensMax: number;
  /** Whether it is asked for in one piece. */
  isWhole: boolean;
  /** What earlier parts of a reply that was cut said. */
  textBefore: string;
}

export function createReplyEffort({ repaired, outputTokensMax }: LoopState): ReplyEffort {
  return { state: { ...NOTHING_TRIED, repaired }, outputTokensMax, isWhole: false, textBefore: "" };
}
