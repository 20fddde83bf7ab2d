import type { AgentEvent, StopReason } from "../../core/agent.ts";
import { abortableSleep } from "../../lib/abortable-sleep.ts";
import { keepLoopContext } from "../compaction/keep-loop-context.ts";
import type { QueryParams } from "../loop-params.ts";
import type { LoopState } from "../loop-state.ts";
import type { ReplyEffort } from "../reply-effort.ts";
import type { ReplyAttempt } from "../stream-reply.ts";
import { adaptTo } from "./adapt-loop.ts";
import { keyOf, NOTHING_TRIED, type Recovery, type Trouble } from "./decide-recovery.ts";
import { keepPart } from "./keep-part.ts";
import { troubleStop } from "./trouble-stop.ts";
import { turnToFallback } from "./turn-to-fallback.ts";

export interface RecoveryPlace {
  readonly loop: LoopState;
  readonly params: QueryParams;
  readonly effort: ReplyEffort;
  readonly attempt: ReplyAttempt;
  readonly trouble: Trouble;
}

/** Does what was decided about a trouble. Returns why the loop ends, where nothing could be done. */
export async function* recover(recovery: Recovery, place: RecoveryPlace): AsyncGenerator<AgentEvent, StopReason | undefined> {
  const { loop, params, effort, attempt, trouble } = place;
  switch (recovery.type) {
    case "stop":
      return recovery.stop.type === "end_turn" ? { ...recovery.stop, text: effort.textBefore + recovery.stop.text } : recovery.stop;
    case "retry":
      yield* waitAndRetry(recovery, place);
      return undefined;
    case "compact":
      return yield* compact(place);
    case "fallback":
      yield* turnToFallback(loop, params, recovery.reason);
      effort.outputTokensMax = loop.outputTokensMax;
      effort.isWhole = false;
      effort.state = { ...NOTHING_TRIED, repaired: loop.repaired, compactions: effort.state.compactions };
      return undefined;
    case "repair":
      loop.repaired = new Set([...loop.repaired, keyOf(recovery.repair)]);
      effort.state = { ...effort.state, repaired: loop.repaired };
      yield { type: "recovery", action: "repair", reason: `${recovery.repair.type}: ${reasonOf(trouble)}` };
      await adaptTo(recovery.repair, loop);
      effort.outputTokensMax = Math.min(effort.outputTokensMax, loop.outputTokensMax);
      return undefined;
    case "raise_output":
      effort.state = { ...effort.state, isOutputRaised: true };
      effort.outputTokensMax = loop.model.limits.outputTokensMax;
      yield { type: "recovery", action: "raise_output", reason: "The reply was cut off at the output limit" };
      return undefined;
    case "continue":
    case "resume":
      // Only a reply can be cut, empty or paused.
      if (attempt.type === "reply") effort.textBefore += yield* keepPart(attempt, recovery, loop);
      effort.state = counted(effort.state, recovery);
      return undefined;
  }
}

async function* waitAndRetry({ delayMs, isWhole }: Extract<Recovery, { type: "retry" }>, { params, effort, trouble }: RecoveryPlace): AsyncGenerator<AgentEvent, void> {
  const { state } = effort;
  const isBroken = trouble.type === "error" && trouble.isBroken;
  effort.isWhole = isWhole;
  effort.state = { ...state, failures: state.failures + 1, broken: state.broken + (isBroken ? 1 : 0) };
  yield { type: "api_retry", attempt: effort.state.failures, delayMs, error: reasonOf(trouble) };
  await (params.sleep ?? abortableSleep)(delayMs, params.signal);
}

async function* compact({ loop, params, effort, trouble }: RecoveryPlace): AsyncGenerator<AgentEvent, StopReason | undefined> {
  effort.state = { ...effort.state, compactions: effort.state.compactions + 1 };
  yield { type: "recovery", action: "compact", reason: reasonOf(trouble) };
  // The service has counted: whatever was estimated, it is more than fits.
  loop.meter.observe(loop.conversation.messages, loop.model.limits.contextTokens);
  const hasShrunk = yield* keepLoopContext(loop, params, { isForced: true });
  if (params.signal.aborted) return { type: "aborted", reason: params.signal.reason };
  return hasShrunk ? undefined : troubleStop(trouble);
}

function counted(state: ReplyEffort["state"], recovery: Extract<Recovery, { type: "continue" | "resume" }>): ReplyEffort["state"] {
  if (recovery.type === "resume") return { ...state, pauses: state.pauses + 1 };
  return recovery.why === "cut" ? { ...state, continued: state.continued + 1 } : { ...state, nudges: state.nudges + 1 };
}

function reasonOf(trouble: Trouble): string {
  return trouble.type === "error" ? trouble.error.message : trouble.type;
}
