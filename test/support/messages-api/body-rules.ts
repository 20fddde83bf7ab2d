import { isRecord } from "../../../src/lib/is-record.ts";
import { firstFault, invalid, type Fault } from "./fault.ts";
import { hasBeta } from "./header-rules.ts";
import { recordsOf, type Json } from "./json.ts";

const COUNT_FIELDS = new Set(words("cache_control messages model output_config speed system thinking tool_choice tools"));
const MESSAGE_FIELDS = new Set([
  ...COUNT_FIELDS,
  ...words("container diagnostics inference_geo max_tokens metadata service_tier stop_sequences stream temperature top_k top_p user_profile_id workspace_id"),
]);
/** Fields that exist for whoever asks for a beta. */
const BETA_FIELDS: Readonly<Record<string, string>> = {
  context_management: "context-management-",
  mcp_servers: "mcp-client-",
  output_format: "structured-outputs-",
  speed: "fast-mode-",
};
const TASK_TOKENS_MIN = 20_000;

/** Why the service refuses the fields around the conversation, tools included. */
export function bodyFault(body: Json, headers: Readonly<Record<string, string>>, isCount: boolean): Fault | undefined {
  const { model, max_tokens: maxTokens } = body;
  const known = isCount ? COUNT_FIELDS : MESSAGE_FIELDS;
  const unknown = Object.keys(body).find((name) => {
    const beta = BETA_FIELDS[name];
    return beta === undefined ? !known.has(name) : !hasBeta(headers, beta);
  });
  if (unknown !== undefined) return extraInput(unknown);
  if (typeof model !== "string" || model === "") return invalid("model: Field required");
  if (!isCount && maxTokens === undefined) return invalid("max_tokens: Field required");
  if (!isCount && !(Number.isInteger(maxTokens) && Number(maxTokens) > 0)) return invalid("max_tokens: Input should be greater than or equal to 1");
  if (body["stream"] !== undefined && typeof body["stream"] !== "boolean") return invalid("stream: Input should be a valid boolean");
  return betaMemberFault(body, headers) ?? systemFault(body["system"]) ?? toolsFault(body["tools"]) ?? toolChoiceFault(body);
}

function extraInput(path: string): Fault {
  return invalid(`${path}: Extra inputs are not permitted`);
}

function betaMemberFault({ output_config: output, thinking }: Json, headers: Readonly<Record<string, string>>): Fault | undefined {
  if (isRecord(thinking) && thinking["block_binding"] !== undefined && !hasBeta(headers, "thinking-binding-controls-")) {
    return extraInput(`thinking.${String(thinking["type"])}.block_binding`);
  }
  const budget = isRecord(output) ? output["task_budget"] : undefined;
  if (budget === undefined) return undefined;
  if (!hasBeta(headers, "task-budgets-")) return extraInput("output_config.task_budget");
  return isRecord(budget) && budget["type"] === "tokens" && Number(budget["total"]) >= TASK_TOKENS_MIN
    ? undefined
    : invalid(`output_config.task_budget.total: Input should be greater than or equal to ${TASK_TOKENS_MIN}`);
}

function systemFault(system: unknown): Fault | undefined {
  if (system === undefined || typeof system === "string") return undefined;
  if (!Array.isArray(system)) return invalid("system: Input should be a valid list");
  return firstFault(system.entries(), ([index, block]) => {
    if (!isRecord(block) || block["type"] !== "text" || typeof block["text"] !== "string") return invalid(`system.${index}: Input should be a text block`);
    const unknown = Object.keys(block).find((name) => !["type", "text", "cache_control", "citations"].includes(name));
    if (unknown !== undefined) return extraInput(`system.${index}.${unknown}`);
    return block["text"].trim() === "" ? invalid("system: text content blocks must contain non-whitespace text") : undefined;
  });
}

const TOOL_FIELDS = new Set(
  words("type name description input_schema cache_control strict defer_loading allowed_callers eager_input_streaming input_examples"),
);

function toolsFault(tools: unknown): Fault | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return invalid("tools: Input should be a valid list");
  const names = new Set<unknown>();
  return firstFault(tools.entries(), ([index, tool]) => {
    if (!isRecord(tool)) return invalid(`tools.${index}: Input should be a valid dictionary`);
    const { name, type, input_schema: schema } = tool;
    if (typeof name !== "string" || !/^[\w-]{1,128}$/.test(name)) return invalid(`tools.${index}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    if (names.has(name)) return invalid("tools: Tool names must be unique.");
    names.add(name);
    // Tools that the service brings have members of their own.
    if (type !== undefined && type !== "custom") return undefined;
    const unknown = Object.keys(tool).find((member) => !TOOL_FIELDS.has(member));
    if (unknown !== undefined) return extraInput(`tools.${index}.custom.${unknown}`);
    return isRecord(schema) && schema["type"] === "object" ? undefined : invalid(`tools.${index}.custom.input_schema.type: Field required`);
  });
}

function toolChoiceFault({ tools, tool_choice: choice, thinking }: Json): Fault | undefined {
  if (choice === undefined) return undefined;
  if (!isRecord(choice) || !["auto", "any", "tool", "none"].includes(String(choice["type"]))) return invalid("tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'");
  if (tools === undefined) return invalid("tool_choice: tool_choice may only be specified while providing tools");
  const isForced = choice["type"] === "any" || choice["type"] === "tool";
  if (isForced && isRecord(thinking) && thinking["type"] === "enabled") return invalid("Thinking may not be enabled when tool_choice forces tool use.");
  if (choice["type"] !== "tool" || recordsOf(tools).some(({ name }) => name === choice["name"])) return undefined;
  return invalid(`Tool '${String(choice["name"])}' not found in provided tools`);
}

function words(text: string): string[] {
  return text.split(" ");
}
