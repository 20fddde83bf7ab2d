import type { AgentEvent } from "../../core/agent.ts";
import type { QueryParams } from "../loop-params.ts";
import type { LoopState } from "../loop-state.ts";
import { requestHead } from "../request-head.ts";
import { isRepeatableTool } from "../repeatable-tools.ts";
import { keepContext } from "./keep-context.ts";

/** Makes the conversation of a loop shorter where it has to be. Returns whether it did. */
export async function* keepLoopContext(loop: LoopState, params: QueryParams, { isForced }: { readonly isForced: boolean }): AsyncGenerator<AgentEvent, boolean> {
  const hasShrunk = yield* keepContext({
    conversation: loop.conversation,
    meter: loop.meter,
    model: loop.model,
    head: requestHead(loop, params),
    outputTokensMax: loop.outputTokensMax,
    exhausted: loop.exhausted,
    isRepeatable: isRepeatableTool,
    workingState: params.workingState,
    signal: params.signal,
    isForced,
  });
  if (hasShrunk) loop.isCompacted = true;
  return hasShrunk;
}
