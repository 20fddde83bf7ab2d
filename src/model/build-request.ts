import { isRecord } from "../lib/is-record.ts";
import { wellFormed } from "../lib/well-formed.ts";
import type { AssistantBlock, Message, UserBlock } from "../core/message.ts";
import type { ModelRequest, TaskBudget, ToolDefinition } from "./client.ts";
import type { ThinkingEffort } from "../core/thinking.ts";
import { thinkingParameters, type WireThinking } from "./thinking-parameters.ts";
import { takesParameter, type OptionalParameter } from "./model-traits.ts";

/** The body of a request, as the Messages API takes it. What is constant within a conversation stands first. */
export interface WireRequest {
  model: string;
  max_tokens: number;
  stream: boolean;
  tools?: WireTool[];
  system?: WireTextBlock[] | string;
  output_config?: WireOutputConfig;
  thinking?: WireThinking;
  messages: WireMessage[];
}

export interface CacheControl {
  type: "ephemeral";
}
export interface WireOutputConfig {
  effort?: ThinkingEffort;
  task_budget?: { type: "tokens"; total: number; remaining?: number };
}
export interface WireTool {
  name: string;
  description: string;
  input_schema: { [keyword: string]: unknown; type: "object" };
  cache_control?: CacheControl;
}
export interface WireTextBlock {
  type: "text";
  text: string;
  cache_control?: CacheControl;
}
export interface WireToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
  cache_control?: CacheControl;
}
export interface WireToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error?: true;
  cache_control?: CacheControl;
}
export type WireContentBlock =
  | WireTextBlock
  | WireToolUseBlock
  | WireToolResultBlock
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string };

export interface WireMessage {
  role: "user" | "assistant";
  content: WireContentBlock[];
}

/** The least budget that the service takes. */
const TASK_BUDGET_TOKENS_MIN = 20_000;

/**
 * Turns a request into what the service accepts: no empty text, no empty message, well-formed Unicode, objects as tool
 * input. Thinking and blocks of unknown kinds go back as they came. The request itself stays unchanged.
 */
export function buildRequest(model: string, request: ModelRequest): WireRequest {
  const tools = request.tools.map(toWireTool);
  const system = request.system.filter(isTextToSend).map(toWireText);
  const { thinking, effort } = isSent(model, request, "thinking") ? thinkingParameters(model, request.thinking, request.maxOutputTokens) : {};
  const output = outputConfig(model, request, effort);
  return {
    model,
    max_tokens: request.maxOutputTokens,
    stream: true,
    ...(tools.length > 0 && { tools }),
    ...(system.length > 0 && { system: request.systemAsText === true ? system.map(({ text }) => text).join("\n\n") : system }),
    ...(output !== undefined && { output_config: output }),
    ...(thinking !== undefined && { thinking }),
    messages: mergeNeighbors(request.messages.map(toWireMessage)),
  };
}

/** Whether a parameter goes into the body: the model takes it, and the server was not found to refuse it. */
export function isSent(model: string, request: ModelRequest, parameter: OptionalParameter): boolean {
  return takesParameter(model, parameter) && request.without?.includes(parameter) !== true;
}

function outputConfig(model: string, request: ModelRequest, effort: ThinkingEffort | undefined): WireOutputConfig | undefined {
  const budget = isSent(model, request, "task_budget") ? request.taskBudget : undefined;
  if (budget === undefined && effort === undefined) return undefined;
  return { ...(effort !== undefined && { effort }), ...(budget !== undefined && { task_budget: toWireBudget(budget) }) };
}

function toWireBudget({ total, remaining }: TaskBudget): NonNullable<WireOutputConfig["task_budget"]> {
  return { type: "tokens", total: Math.max(total, TASK_BUDGET_TOKENS_MIN), ...(remaining !== undefined && { remaining }) };
}

/** As messages, definitions never change, and go with every request. */
const WIRE_TOOLS = new WeakMap<ToolDefinition, WireTool>();

function toWireTool(tool: ToolDefinition): WireTool {
  let wire = WIRE_TOOLS.get(tool);
  if (wire === undefined) {
    const schema = wellFormed(tool.input_schema);
    wire = { name: tool.name.toWellFormed(), description: tool.description.toWellFormed(), input_schema: { ...(isRecord(schema) ? schema : {}), type: "object" } };
    WIRE_TOOLS.set(tool, wire);
  }
  return wire;
}

/** The service refuses text that is empty or nothing but white space. */
function isTextToSend(text: string): boolean {
  return text.trim() !== "";
}

function toWireText(text: string): WireTextBlock {
  return { type: "text", text: text.toWellFormed() };
}

/** Messages never change, and each is sent many times. */
const WIRE_MESSAGES = new WeakMap<Message, WireMessage>();

function toWireMessage(message: Message): WireMessage {
  let wire = WIRE_MESSAGES.get(message);
  if (wire === undefined) WIRE_MESSAGES.set(message, (wire = { role: message.role, content: message.content.flatMap(toWireBlock) }));
  return wire;
}

function toWireBlock(block: AssistantBlock | UserBlock): WireContentBlock[] {
  switch (block.type) {
    case "text":
      return isTextToSend(block.text) ? [toWireText(block.text)] : [];
    case "tool_use": {
      const { type, id, name } = block;
      const input = wellFormed(block.input);
      // A model can write a list or a string where only an object may be sent back to it.
      return [{ type, id: id.toWellFormed(), name: name.toWellFormed(), input: isRecord(input) ? input : {} }];
    }
    case "tool_result": {
      const { type, tool_use_id, content, is_error } = block;
      return [
        {
          type,
          tool_use_id: tool_use_id.toWellFormed(),
          content: content.toWellFormed(),
          ...(is_error !== undefined && { is_error }),
        },
      ];
    }
    case "thinking":
      return [{ type: block.type, thinking: block.thinking, signature: block.signature }];
    case "redacted_thinking":
      return [{ type: block.type, data: block.data }];
    case "unknown":
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nothing is known of it, and only the service looks at it
      return [block.raw as unknown as WireContentBlock];
  }
}

/** A message that held nothing to send leaves two neighbors of one role, which have to become one message. */
function mergeNeighbors(messages: readonly WireMessage[]): WireMessage[] {
  const merged: WireMessage[] = [];
  for (const message of messages) {
    if (message.content.length === 0) continue;
    const last = merged.at(-1);
    if (last?.role === message.role) merged[merged.length - 1] = { ...last, content: resultsFirst([...last.content, ...message.content]) };
    else merged.push(message);
  }
  return merged;
}

function resultsFirst(content: readonly WireContentBlock[]): WireContentBlock[] {
  return [
    ...content.filter((block) => block.type === "tool_result"),
    ...content.filter((block) => block.type !== "tool_result"),
  ];
}
