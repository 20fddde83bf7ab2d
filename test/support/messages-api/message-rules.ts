import { isRecord } from "../../../src/lib/is-record.ts";
import { firstFault, invalid, type Fault } from "./fault.ts";
import type { Json } from "./json.ts";

const MESSAGES_MAX = 100_000;

interface BlockShape {
  readonly role: "user" | "assistant" | "any";
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

const SERVER_RESULT: BlockShape = { role: "assistant", required: ["tool_use_id", "content"], optional: ["cache_control", "caller"] };
const BLOCK_SHAPES: Readonly<Record<string, BlockShape>> = {
  text: { role: "any", required: ["text"], optional: ["cache_control", "citations"] },
  image: { role: "user", required: ["source"], optional: ["cache_control", "transformations"] },
  document: { role: "user", required: ["source"], optional: ["cache_control", "citations", "context", "title"] },
  search_result: { role: "user", required: ["content", "source", "title"], optional: ["cache_control", "citations"] },
  container_upload: { role: "user", required: ["file_id"], optional: ["cache_control"] },
  tool_result: { role: "user", required: ["tool_use_id"], optional: ["cache_control", "content", "is_error", "toolset_name"] },
  tool_use: { role: "assistant", required: ["id", "name", "input"], optional: ["cache_control", "caller", "toolset_name"] },
  server_tool_use: { role: "assistant", required: ["id", "name", "input"], optional: ["cache_control", "caller"] },
  thinking: { role: "assistant", required: ["thinking", "signature"], optional: [] },
  redacted_thinking: { role: "assistant", required: ["data"], optional: [] },
  web_search_tool_result: SERVER_RESULT,
  web_fetch_tool_result: SERVER_RESULT,
  code_execution_tool_result: SERVER_RESULT,
  bash_code_execution_tool_result: SERVER_RESULT,
  text_editor_code_execution_tool_result: SERVER_RESULT,
  tool_search_tool_result: SERVER_RESULT,
};

/**
 * Why the service refuses a message for its own sake.
 *
 * @param isIssued whether the server itself sent a block, which it takes back whatever it looks like
 */
export function messagesFault(messages: unknown, isIssued: (block: Json) => boolean): Fault | undefined {
  if (!Array.isArray(messages)) return invalid("messages: Field required");
  if (messages.length === 0) return invalid("messages: at least one message is required");
  if (messages.length > MESSAGES_MAX) return invalid(`messages: List should have at most ${MESSAGES_MAX} items, not ${messages.length}`);
  return firstFault(messages.entries(), ([index, message]) => messageFault(message, index, { isLast: index === messages.length - 1, isIssued }));
}

interface Place {
  readonly isLast: boolean;
  readonly isIssued: (block: Json) => boolean;
}

function messageFault(message: unknown, index: number, { isLast, isIssued }: Place): Fault | undefined {
  const path = `messages.${index}`;
  if (!isRecord(message)) return invalid(`${path}: Input should be a valid dictionary`);
  const { role, content } = message;
  const unknown = Object.keys(message).find((name) => name !== "role" && name !== "content");
  if (unknown !== undefined) return invalid(`${path}.${unknown}: Extra inputs are not permitted`);
  if (role !== "user" && role !== "assistant" && role !== "system") return invalid(`${path}.role: Input should be 'user' or 'assistant'`);
  if (index === 0 && role !== "user") return invalid("messages: first message must use the \"user\" role");
  const blocks: unknown = content === "" ? [] : content;
  if (typeof blocks === "string") return blocks.trim() === "" ? blankText() : undefined;
  if (!Array.isArray(blocks)) return invalid(`${path}.content: Input should be a valid list`);
  if (blocks.length === 0) {
    if (role === "assistant" && isLast) return undefined;
    return invalid(`${path}: all messages must have non-empty content except for the optional final assistant message`);
  }
  return firstFault(blocks.entries(), ([at, block]) => blockFault(block, `${path}.content.${at}`, { role, isIssued }));
}

function blockFault(block: unknown, path: string, { role, isIssued }: { readonly role: string; readonly isIssued: Place["isIssued"] }): Fault | undefined {
  const type = isRecord(block) ? block["type"] : undefined;
  if (!isRecord(block) || typeof type !== "string") return invalid(`${path}.type: Field required`);
  const shape = Object.hasOwn(BLOCK_SHAPES, type) ? BLOCK_SHAPES[type] : undefined;
  if (shape === undefined) {
    if (isIssued(block)) return undefined;
    return invalid(`${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${Object.keys(BLOCK_SHAPES).map((tag) => `'${tag}'`).join(", ")}`);
  }
  if (shape.role !== "any" && shape.role !== role) return invalid(`${path}: \`${type}\` blocks can only be in \`${shape.role}\` messages`);
  const missing = shape.required.find((name) => block[name] === undefined);
  if (missing !== undefined) return invalid(`${path}.${type}.${missing}: Field required`);
  const unknown = Object.keys(block).find((name) => name !== "type" && !shape.required.includes(name) && !shape.optional.includes(name));
  if (unknown !== undefined) return invalid(`${path}.${type}.${unknown}: Extra inputs are not permitted`);
  return memberFault(block, `${path}.${type}`, isIssued);
}

function memberFault(block: Json, path: string, isIssued: Place["isIssued"]): Fault | undefined {
  switch (block["type"]) {
    case "text":
      return textFault(block, path);
    case "tool_use":
    case "server_tool_use":
      if (!isRecord(block["input"])) return invalid(`${path}.input: Input should be a valid dictionary`);
      // Ids of a compatible server can look like anything, and go back as they came.
      return /^[\w-]+$/.test(String(block["id"])) || isIssued(block) ? undefined : invalid(`${path}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    case "tool_result":
      return resultFault(block, path);
    case "thinking":
    case "redacted_thinking": {
      const name = ["thinking", "signature", "data"].find((member) => block[member] !== undefined && typeof block[member] !== "string");
      return name === undefined ? undefined : invalid(`${path}.${name}: Input should be a valid string`);
    }
    default:
      return undefined;
  }
}

function resultFault({ content, is_error: isError }: Json, path: string): Fault | undefined {
  const isEmpty = content === undefined || content === "" || (Array.isArray(content) && content.length === 0);
  if (isEmpty) return isError === true ? invalid(`${path}: content cannot be empty if \`is_error\` is true`) : undefined;
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return invalid(`${path}.content: Input should be a valid list`);
  return firstFault(content.entries(), ([index, block]) => {
    const type = isRecord(block) ? block["type"] : undefined;
    if (isRecord(block) && type === "text") return textFault(block, `${path}.content.${index}.text`);
    const isKnown = type === "image" || type === "document" || type === "search_result" || type === "tool_reference";
    return isKnown ? undefined : invalid(`${path}.content.${index}: Input tag '${String(type)}' does not match any of the expected tags`);
  });
}

function textFault({ text }: Json, path: string): Fault | undefined {
  if (typeof text !== "string") return invalid(`${path}.text: Input should be a valid string`);
  if (text === "") return invalid("messages: text content blocks must be non-empty");
  return text.trim() === "" ? blankText() : undefined;
}

function blankText(): Fault {
  return invalid("messages: text content blocks must contain non-whitespace text");
}
