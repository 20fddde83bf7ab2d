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
  /** What the model may be told of thinking. */
  readonly thinkingTypes: readonly string[];
  /** Whether messages may have the role system. */
  readonly allowsSystemMessages: boolean;
  /** Whether thinking is bound to the system prompt, the tools and the messages before it. */
  readonly bindsThinking: boolean;
}

const THINKING_TYPES = ["adaptive", "between_tools", "disabled", "enabled"];
const EFFORTS = ["low", "medium", "high", "xhigh", "max"];

export const DEFAULT_MODEL_RULES: ModelRules = {
  contextTokensMax: 200_000,
  outputTokensMax: 128_000,
  cacheTokensMin: 0,
  allowsPrefill: true,
  allowsSampling: true,
  thinkingTypes: THINKING_TYPES,
  allowsSystemMessages: false,
  bindsThinking: true,
};

/**
 * Why a model refuses what another would take.
 *
 * @param isPaused whether the conversation ends with a turn that the service paused, which is no prefill
 */
export function modelFault(body: Json, rules: ModelRules, isPaused: boolean): Fault | undefined {
  const { max_tokens: maxTokens, model, thinking, output_config: output } = body;
  if (typeof maxTokens === "number" && maxTokens > rules.outputTokensMax) {
    return invalid(`max_tokens: ${maxTokens} > ${rules.outputTokensMax}, which is the maximum allowed number of output tokens for ${String(model)}`);
  }
  const sampling = ["temperature", "top_p", "top_k"].find((name) => body[name] !== undefined);
  if (sampling !== undefined && !rules.allowsSampling) return invalid(`${sampling}: is not supported by this model`);
  const ofThinking = isRecord(thinking) ? thinkingFault(String(thinking["type"]), rules) : undefined;
  if (ofThinking !== undefined) return ofThinking;
  const effort = isRecord(output) ? output["effort"] : undefined;
  if (effort !== undefined && !EFFORTS.some((each) => each === effort)) return invalid("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'");
  if (isRecord(thinking) && thinking["type"] === "enabled") {
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

function thinkingFault(type: string, { thinkingTypes }: ModelRules): Fault | undefined {
  if (!THINKING_TYPES.includes(type)) return invalid(`thinking: Input tag '${type}' found using 'type' does not match any of the expected tags: ${THINKING_TYPES.map((each) => `'${each}'`).join(", ")}`);
  if (thinkingTypes.includes(type)) return undefined;
  return invalid(`"thinking.type.${type}" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`);
}
