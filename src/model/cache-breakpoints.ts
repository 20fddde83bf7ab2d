import type {
  WireContentBlock,
  WireMessage,
  WireRequest,
  WireTextBlock,
  WireToolResultBlock,
  WireToolUseBlock,
} from "./build-request.ts";

/**
 * Marks up to which blocks the service keeps a request for later ones: tools, system prompt, the last message, and the
 * user message before it, which ended the previous request. From a mark the service looks back over 20 blocks only, so
 * without that last one a turn with many calls would not find what the previous turn wrote. The service allows four. All
 * live for five minutes, so no longer life ever comes after a shorter one. A system prompt that is one string has no place
 * for a mark.
 */
export function markCacheBreakpoints(request: WireRequest): WireRequest {
  const { tools, system, messages } = request;
  const lastIndex = messages.length - 1;
  const previousIndex = messages.findLastIndex((message, index) => message.role === "user" && index < lastIndex);
  return {
    ...request,
    ...(tools !== undefined && { tools: markLast(tools) }),
    ...(Array.isArray(system) && { system: markLast(system) }),
    messages: messages.map((message, index) =>
      index === lastIndex || index === previousIndex ? markMessage(message) : message,
    ),
  };
}

function markLast<Block extends object>(blocks: readonly Block[]): Block[] {
  return blocks.map((block, index) => (index === blocks.length - 1 ? mark(block) : block));
}

function markMessage(message: WireMessage): WireMessage {
  const markedIndex = message.content.findLastIndex(canBeMarked);
  return { ...message, content: message.content.map((block, index) => (index === markedIndex ? mark(block) : block)) };
}

/** The service refuses a mark on thinking; of unknown blocks nobody can tell. */
function canBeMarked(block: WireContentBlock): block is WireTextBlock | WireToolUseBlock | WireToolResultBlock {
  return block.type === "text" || block.type === "tool_use" || block.type === "tool_result";
}

function mark<Block extends object>(block: Block): Block {
  return { ...block, cache_control: { type: "ephemeral" } };
}
