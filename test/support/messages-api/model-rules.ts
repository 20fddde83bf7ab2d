import { isRecord } from "../../../src/lib/is-record.ts";
import { firstFault, invalid, type Fault } from "./fault.ts";
import { recordsOf, type Json } from "./json.ts";

/** What differs from model to model. */
export interface ModelRules {
  readonly contextTokensMax: number;
  readonly outputTokensMax: number;
  /** Shorter prefixes are not cached, and nobody is told. */
  readonly cacheTokensMin: number;
  /** Whether the last message may be the beginning of the reply. */
  readonly allowsPrefill: boolean;
  /** Whether temperature, top_p and top_k may be given. */
  readonly allowsSampling: boolean;
  /** Whether thinking may have a budget in tokens. */
  readonly allowsThinkingBudget: boolean;
  /** Whether messages may have the role system. */
  readonly allowsSystemMessages: boolean;
  /** Whether thinking is bound to the system prompt, the tools and the messages before it. */
  readonly bindsThinking: boolean;
}

export const DEFAULT_MODEL_RULES: ModelRules = {
  contextTokensMax: 200_000,
  outputTokensMax: 128_000,
  cacheTokensMin: 0,
  allowsPrefill: true,
  allowsSampling: true,
  allowsThinkingBudget: true,
  allowsSystemMessages: false,
  bindsThinking: true,
};

/**
 * Why a model refuses what another would take.
 *
 * @param isPaused whether the conversation ends with a turn that the service paused, which is no prefill
 */
export function modelFault(body: Json, rules: ModelRules, isPaused: boolean): Fault | undefined {
  const { max_tokens: maxTokens, model, thinking } = body;
  if (typeof maxTokens === "number" && maxTokens > rules.outputTokensMax) {
    return invalid(`max_tokens: ${maxTokens} > ${rules.outputTokensMax}, which is the maximum allowed number of output tokens for ${String(model)}`);
  }
  const sampling = ["temperature", "top_p", "top_k"].find((name) => body[name] !== undefined);
  if (sampling !== undefined && !rules.allowsSampling) return invalid(`${sampling}: is not supported by this model`);
  if (isRecord(thinking) && thinking["type"] === "enabled") {
    if (!rules.allowsThinkingBudget) return invalid("thinking.type: enabled is not supported by this model. Use adaptive");
    const budget = Number(thinking["budget_tokens"]);
    if (!(budget >= 1_024)) return invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
    if (typeof maxTokens === "number" && maxTokens <= budget) return invalid("`max_tokens` must be greater than `thinking.budget_tokens`");
  }
  const messages = recordsOf(body["messages"]);
  if (messages.at(-1)?.["role"] === "assistant" && !rules.allowsPrefill && !isPaused) {
    return invalid("This model does not support assistant message prefill. The conversation must end with a user message.");
  }
  return firstFault(messages.entries(), ([index, { role }]) =>
    role === "system" && !rules.allowsSystemMessages
      ? invalid(`messages.${index}: Unexpected role "system". The Messages API accepts a top-level \`system\` parameter, not "system" as an input message role.`)
      : undefined,
  );
}
