import { firstFault, invalid, type Fault } from "./fault.ts";
import { contentOf, type Json } from "./json.ts";

/** Why the service refuses how calls and their results stand to each other, over the whole conversation. */
export function toolPairingFault(messages: readonly Json[]): Fault | undefined {
  const seen = new Set<string>();
  return firstFault(messages.entries(), ([index, message]) => {
    const blocks = contentOf(message);
    const calls = idsOf(blocks, "tool_use", "id");
    for (const id of calls) {
      if (seen.has(id)) return invalid("messages: `tool_use` ids must be unique");
      seen.add(id);
    }
    const previous = messages[index - 1];
    return resultsFault(index, blocks, previous === undefined ? [] : idsOf(contentOf(previous), "tool_use", "id")) ?? unansweredFault(index, calls, messages[index + 1]);
  });
}

function resultsFault(index: number, blocks: readonly Json[], called: readonly string[]): Fault | undefined {
  const answered = new Set<string>();
  return firstFault(blocks.entries(), ([at, { type, tool_use_id: value }]) => {
    if (type !== "tool_result") return undefined;
    const id = String(value);
    if (!called.includes(id)) {
      return invalid(
        `messages.${index}.content.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (answered.has(id)) {
      return invalid(`messages.${index}.content.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`);
    }
    answered.add(id);
    return undefined;
  });
}

/** Results count only where they come first: behind any other block the service does not find them. */
function unansweredFault(index: number, calls: readonly string[], next: Json | undefined): Fault | undefined {
  const blocks = next === undefined ? [] : contentOf(next);
  const end = blocks.findIndex(({ type }) => type !== "tool_result");
  const answered = idsOf(end === -1 ? blocks : blocks.slice(0, end), "tool_result", "tool_use_id");
  const open = calls.filter((id) => !answered.includes(id));
  if (open.length === 0) return undefined;
  return invalid(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function idsOf(blocks: readonly Json[], type: string, member: string): string[] {
  return blocks.filter((block) => block["type"] === type).map((block) => String(block[member]));
}
