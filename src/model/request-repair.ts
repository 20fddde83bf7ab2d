import type { AssistantBlock } from "../core/message.ts";
import type { ModelError, ModelRequest } from "./client.ts";
import type { OptionalParameter } from "./model-traits.ts";
import { outputRoom } from "./output-room.ts";

/** One change to a request that was refused. */
export type RequestRepair =
  /** The server does not know the parameter: into `without` with it. */
  | { readonly type: "drop_parameter"; readonly name: OptionalParameter }
  | { readonly type: "lower_output_limit"; readonly outputTokensMax: number }
  /** Thinking is altered, foreign, out of its place or not known: none of it may go back. */
  | { readonly type: "drop_thinking" }
  /** Blocks of kinds that this build does not know are not taken back. */
  | { readonly type: "drop_unknown_blocks" }
  /** Calls and results do not match. */
  | { readonly type: "fix_pairing" }
  /** Text cannot be read: surrogates, control characters, JSON. */
  | { readonly type: "fix_encoding" }
  /** The system prompt has to be one string. */
  | { readonly type: "system_as_text" };

/**
 * The one repair that a refusal of class `invalid` asks for; undefined where it asks for none that is known, or for one
 * that would not change this request. Refusals are told apart by their words alone, as nothing else in them differs, so a
 * repair is a guess: it is worth one more request, and never a second one for the same repair.
 */
export function repairFor(error: ModelError, request: ModelRequest): RequestRepair | undefined {
  const { said } = error;
  if (error.class !== "invalid" || said === undefined) return undefined;
  for (const repair of REPAIRS) {
    const found = repair(said, request);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Repair = (said: string, request: ModelRequest) => RequestRepair | undefined;

/** The most certain ones first: words such as "thinking" stand in lists of what could have been sent instead. */
const REPAIRS: readonly Repair[] = [lowerOutputLimit, sendSystemAsText, dropParameter, dropRefusedTag, dropUnknownBlocks, dropThinking, fixPairing, fixEncoding];

function lowerOutputLimit(said: string, request: ModelRequest): RequestRepair | undefined {
  const outputTokensMax = outputRoom(said);
  return outputTokensMax !== undefined && outputTokensMax < request.maxOutputTokens ? { type: "lower_output_limit", outputTokensMax } : undefined;
}

function sendSystemAsText(said: string, request: ModelRequest): RequestRepair | undefined {
  if (request.systemAsText === true || request.system.length === 0) return undefined;
  const isAboutSystem = /^\W*system\b/i.test(said) || /["'`.]system\b["'`:]?/i.test(said);
  const wantsText = /valid string|(?:must be|expected|expecting|want) an? ?string|str type expected|string_type|into [\w .]*of type string/i.test(said);
  return isAboutSystem && wantsText ? { type: "system_as_text" } : undefined;
}

function dropParameter(said: string, request: ModelRequest): RequestRepair | undefined {
  const isSent = (name: OptionalParameter) => request.without?.includes(name) !== true;
  const hasThinking = request.thinking !== undefined && isSent("thinking");
  if (hasThinking && isAboutThinkingParameter(said)) return { type: "drop_parameter", name: "thinking" };
  if (request.taskBudget !== undefined && isSent("task_budget") && /task[_-]budget|output_config|anthropic-beta/i.test(said)) {
    return { type: "drop_parameter", name: "task_budget" };
  }
  // An effort stands there as well.
  if (hasThinking && /output_config/i.test(said)) return { type: "drop_parameter", name: "thinking" };
  return isSent("cache_control") && /cache_control|prompt caching/i.test(said) ? { type: "drop_parameter", name: "cache_control" } : undefined;
}

/** Blocks of thinking are named by their place among the messages; what has no place is the parameter. */
function isAboutThinkingParameter(said: string): boolean {
  return !/messages[.:]|signature|thinking`? (?:or `?redacted_thinking`? )?(?:content )?blocks?\b|content block/i.test(said) && /\bthinking\b|budget_tokens|\beffort\b/i.test(said);
}

/** "Input tag 'hologram' found using 'type' does not match any of the expected tags: 'text', 'thinking', …" */
function dropRefusedTag(said: string, request: ModelRequest): RequestRepair | undefined {
  const tag = /input tag ['"`](\w+)['"`]/i.exec(said)?.[1];
  if (tag === undefined) return undefined;
  if (tag.endsWith("thinking")) return holds(request, isThinking) ? { type: "drop_thinking" } : undefined;
  return holds(request, isUnknown) ? { type: "drop_unknown_blocks" } : undefined;
}

function dropUnknownBlocks(said: string, request: ModelRequest): RequestRepair | undefined {
  const isNamed = holds(request, (block) => block.type === "unknown" && typeof block.raw["type"] === "string" && said.includes(block.raw["type"]));
  const isAboutKinds = /(?:unknown|unsupported|unrecognized|unexpected|invalid) (?:content )?(?:block|content|type)|(?:block|content)(?: type)?\b.{0,40}\bnot (?:supported|accepted|allowed|recognized)/i.test(said);
  return isNamed || (isAboutKinds && holds(request, isUnknown)) ? { type: "drop_unknown_blocks" } : undefined;
}

function dropThinking(said: string, request: ModelRequest): RequestRepair | undefined {
  if (!/thinking|signature/i.test(said)) return undefined;
  // A turn that was begun without any cannot be gone on with where it is asked for.
  const isMissing = /when `?thinking`? is enabled/i.test(said);
  const isAsked = request.thinking !== undefined && request.without?.includes("thinking") !== true;
  if (isAsked && (isMissing || !holds(request, isThinking))) return { type: "drop_parameter", name: "thinking" };
  return holds(request, isThinking) ? { type: "drop_thinking" } : undefined;
}

function fixPairing(said: string): RequestRepair | undefined {
  const isAboutCalls = /tool_(?:use|result|call)/i.test(said);
  const isAboutMatching = /without|unexpected|missing|must (?:have|be unique|be followed|immediately follow|correspond|come)|corresponding|did not have|not found|duplicate|each /i.test(said);
  return isAboutCalls && isAboutMatching ? { type: "fix_pairing" } : undefined;
}

function fixEncoding(said: string): RequestRepair | undefined {
  return /surrogate|not valid json|(?:invalid|malformed|bad) (?:unicode|utf-?8|json|escape|control character)|json (?:decode|parse|parsing) ?error|(?:could not|cannot|failed to|unable to) (?:parse|decode)|\\u0000|null (?:byte|character)/i.test(said)
    ? { type: "fix_encoding" }
    : undefined;
}

function holds({ messages }: ModelRequest, isKind: (block: AssistantBlock) => boolean): boolean {
  return messages.some((message) => message.role === "assistant" && message.content.some(isKind));
}

function isThinking({ type }: AssistantBlock): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function isUnknown({ type }: AssistantBlock): boolean {
  return type === "unknown";
}
