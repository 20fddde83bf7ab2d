import { isRecord } from "../../src/lib/is-record.ts";

type Json = Readonly<Record<string, unknown>>;

const TOP_LEVEL_FIELDS = new Set([
  "cache_control",
  "container",
  "diagnostics",
  "inference_geo",
  "max_tokens",
  "messages",
  "metadata",
  "model",
  "output_config",
  "service_tier",
  "speed",
  "stop_sequences",
  "stream",
  "system",
  "thinking",
  "tool_choice",
  "tools",
]);
const BREAKPOINTS_MAX = 4;
const CACHEABLE = new Set(["text", "tool_use", "tool_result"]);

/**
 * Why the service would answer a request with 400; undefined where it would not. In two points it is stricter than the
 * service: neighbors of one role and results in another order than the calls are refused, since this program sends
 * neither on purpose.
 */
export function requestFault(body: unknown): string | undefined {
  if (!isRecord(body)) return "the body is no object";
  return (
    unknownField(body) ??
    (typeof body["model"] === "string" && body["model"] !== "" ? undefined : "model: is required") ??
    (Number.isInteger(body["max_tokens"]) && Number(body["max_tokens"]) > 0 ? undefined : "max_tokens: is required") ??
    illFormed(body, "body") ??
    systemFault(body["system"]) ??
    toolsFault(body["tools"]) ??
    messagesFault(body["messages"]) ??
    breakpointFault(body)
  );
}

function unknownField(body: Json): string | undefined {
  const name = Object.keys(body).find((field) => !TOP_LEVEL_FIELDS.has(field));
  return name === undefined ? undefined : `${name}: Extra inputs are not permitted`;
}

function illFormed(value: unknown, path: string): string | undefined {
  if (typeof value === "string") return value.isWellFormed() ? undefined : `${path}: no low surrogate in string`;
  if (typeof value !== "object" || value === null) return undefined;
  return first(Object.entries(value), ([name, member]) => illFormed(name, path) ?? illFormed(member, `${path}.${name}`));
}

function systemFault(system: unknown): string | undefined {
  if (system === undefined) return undefined;
  if (!Array.isArray(system) || system.length === 0) return "system: must be a list of text blocks";
  return first(system.entries(), ([index, block]) => textFault(block, `system.${index}`));
}

function toolsFault(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools) || tools.length === 0) return "tools: must be a list";
  const names = tools.map((tool) => (isRecord(tool) ? tool["name"] : undefined));
  if (new Set(names).size < names.length) return "tools: Tool names must be unique";
  return first(tools.entries(), ([index, tool]) => {
    if (!isRecord(tool) || !/^[\w-]{1,128}$/.test(String(tool["name"]))) return `tools.${index}.name: invalid`;
    const schema = tool["input_schema"];
    return isRecord(schema) && schema["type"] === "object" ? undefined : `tools.${index}.input_schema: must be of type object`;
  });
}

function messagesFault(messages: unknown): string | undefined {
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one message is required";
  return first(messages.entries(), ([index, message]) => {
    const path = `messages.${index}`;
    const role = index % 2 === 0 ? "user" : "assistant";
    if (!isRecord(message) || message["role"] !== role) return `${path}: roles must alternate between "user" and "assistant", starting with "user"`;
    const blocks = message["content"];
    if (!Array.isArray(blocks) || blocks.length === 0 || !blocks.every(isRecord)) return `${path}: must have non-empty content`;
    return first(blocks.entries(), ([at, block]) => blockFault(block, `${path}.content.${at}`, role)) ?? pairingFault(messages, index, blocks);
  });
}

function blockFault(block: Json, path: string, role: string): string | undefined {
  switch (block["type"]) {
    case "text":
      return textFault(block, path);
    case "tool_use":
      if (role !== "assistant") return `${path}: tool_use blocks can only be in assistant messages`;
      return isRecord(block["input"]) ? undefined : `${path}.input: Input should be a valid dictionary`;
    case "tool_result":
      if (role !== "user") return `${path}: tool_result blocks can only be in user messages`;
      return typeof block["content"] === "string" && block["content"] !== "" ? undefined : `${path}.content: must be non-empty`;
    default:
      return typeof block["type"] === "string" && role === "assistant" ? undefined : `${path}.type: unexpected`;
  }
}

function textFault(block: unknown, path: string): string | undefined {
  const value = isRecord(block) && block["type"] === "text" ? block["text"] : undefined;
  if (typeof value !== "string") return `${path}: must be a text block`;
  return value.trim() === "" ? `${path}.text: text content blocks must contain non-whitespace text` : undefined;
}

function pairingFault(messages: readonly unknown[], index: number, blocks: readonly Json[]): string | undefined {
  const path = `messages.${index}`;
  const calls = idsOf(blocks, "tool_use", "id");
  if (new Set(calls).size < calls.length) return `${path}: tool_use ids must be unique`;
  if (calls.length > 0 && index === messages.length - 1) return `${path}: tool_use ids were found without tool_result blocks immediately after`;
  const results = idsOf(blocks, "tool_result", "tool_use_id");
  const called = idsOf(contentOf(messages[index - 1]), "tool_use", "id");
  if (called.join() !== results.join()) return `${path}: tool_result ids [${results.join(", ")}] do not answer the tool_use ids [${called.join(", ")}]`;
  return blocks.slice(0, results.length).every((block) => block["type"] === "tool_result")
    ? undefined
    : `${path}: tool_result blocks must come first`;
}

function idsOf(blocks: readonly Json[], type: string, member: string): string[] {
  return blocks.filter((block) => block["type"] === type).map((block) => String(block[member]));
}

function contentOf(message: unknown): readonly Json[] {
  return isRecord(message) && Array.isArray(message["content"]) ? message["content"].filter(isRecord) : [];
}

function breakpointFault(body: Json): string | undefined {
  const marked = markedBlocks(body);
  if (marked.length > BREAKPOINTS_MAX) return `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}`;
  // Of all blocks only tools have no type.
  return first(marked, ({ type, cache_control }) => {
    if (!isRecord(cache_control) || cache_control["type"] !== "ephemeral") return "cache_control.type: must be ephemeral";
    const isCacheable = type === undefined || (typeof type === "string" && CACHEABLE.has(type));
    return isCacheable ? undefined : `cache_control: not allowed on ${JSON.stringify(type)}`;
  });
}

/** Every block of a request that carries a cache breakpoint, in the order of the prompt. */
export function markedBlocks(body: Json): readonly Json[] {
  const list = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);
  const blocks = [...list(body["tools"]), ...list(body["system"]), ...list(body["messages"]).flatMap(contentOf)];
  return blocks.filter((block) => block["cache_control"] !== undefined);
}

function first<Item>(items: Iterable<Item>, fault: (item: Item) => string | undefined): string | undefined {
  for (const item of items) {
    const found = fault(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
