import type { ModelRequest } from "../model/client.ts";
import type { QueryParams } from "./loop-params.ts";
import type { LoopState } from "./loop-state.ts";

/** What is the same in every request of a conversation: with other bytes here nothing of it is read from the prompt cache. */
export type RequestHead = Pick<ModelRequest, "system" | "tools" | "thinking" | "without" | "systemAsText">;

export function requestHead({ adaptation }: Pick<LoopState, "adaptation">, { system, toolDefinitions: tools, thinking }: Pick<QueryParams, "system" | "toolDefinitions" | "thinking">): RequestHead {
  return { system, tools, ...adaptation, ...(thinking === undefined ? {} : { thinking }) };
}
