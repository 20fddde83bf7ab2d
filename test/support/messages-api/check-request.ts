import { bodyFault } from "./body-rules.ts";
import { cacheFault } from "./cache-rules.ts";
import { invalid, type Fault } from "./fault.ts";
import type { IssuedReplies, ThinkingCheck } from "./issued-replies.ts";
import { recordsOf, type Json } from "./json.ts";
import { messagesFault } from "./message-rules.ts";
import { modelFault, type ModelRules } from "./model-rules.ts";
import { promptBlocks, promptTokens, type PromptBlock } from "./prompt-blocks.ts";
import { toolPairingFault } from "./tool-pairing.ts";

/** A request that the service accepts, with what was found out about it. */
export interface CheckedRequest {
  readonly prompt: readonly PromptBlock[];
  readonly thinking: ThinkingCheck;
}

/** Checks the body of a request from the outside in, as a later check relies on the shape that an earlier one saw. */
export function checkRequest(
  body: Json,
  { headers, isCount, rules, issued }: { readonly headers: Readonly<Record<string, string>>; readonly isCount: boolean; readonly rules: ModelRules; readonly issued: IssuedReplies },
): { readonly fault: Fault } | { readonly checked: CheckedRequest } {
  const shapeFault = bodyFault(body, headers, isCount) ?? messagesFault(body["messages"], issued.isIssued) ?? toolPairingFault(recordsOf(body["messages"]));
  if (shapeFault !== undefined) return { fault: shapeFault };
  const prompt = promptBlocks(body);
  const thinking = issued.check(body, rules.bindsThinking);
  const tokens = promptTokens(prompt);
  const fault =
    cacheFault(prompt) ??
    modelFault(body, rules, thinking.isPaused) ??
    thinking.fault ??
    (tokens > rules.contextTokensMax && !isCount ? invalid(`prompt is too long: ${tokens} tokens > ${rules.contextTokensMax} maximum`) : undefined);
  return fault === undefined ? { checked: { prompt, thinking } } : { fault };
}
