import { countsForBinding, identityOf, type ConversationBlock } from "./conversation-blocks.ts";
import { invalid, type Fault } from "./fault.ts";
import { isThinking, type Json } from "./json.ts";

interface SentReply {
  readonly model: string;
  readonly blocks: readonly Json[];
}

/**
 * Why the service refuses thinking that was left out or moved in the turn that is still running: from the last user
 * message without results on. Replies that were cut short by the client, or that came from another model, are not looked at.
 *
 * @param repliesTo the replies that were sent at a place, by what they were bound to
 */
export function turnFault(blocks: readonly ConversationBlock[], model: unknown, repliesTo: (before: string) => readonly SentReply[]): Fault | undefined {
  const turn = runningTurn(blocks);
  let index = 0;
  for (let at = turn[index]; at !== undefined; at = turn[index]) {
    const candidates = at.role === "assistant" ? repliesTo(at.before).filter((reply) => reply.model === model && isSent(reply, turn.slice(index))) : [];
    const whole = candidates.find((reply) => isWhole(reply, turn.slice(index)));
    if (whole === undefined && candidates.length > 0) {
      return invalid(
        `${at.path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
      );
    }
    index += Math.max(1, whole === undefined ? 0 : sendable(whole).length);
  }
  return undefined;
}

function runningTurn(blocks: readonly ConversationBlock[]): readonly ConversationBlock[] {
  const withResults = new Set(blocks.filter(({ block }) => block["type"] === "tool_result").map(({ message }) => message));
  const start = blocks.findLastIndex(({ role, message }) => role === "user" && !withResults.has(message));
  return blocks.slice(start + 1).filter(({ block }) => isThinking(block) || countsForBinding(block));
}

/** Whether the reply stands here, its thinking aside. */
function isSent(reply: SentReply, rest: readonly ConversationBlock[]): boolean {
  const sent = sendable(reply).filter((block) => !isThinking(block));
  const found = rest.filter(({ block }) => !isThinking(block)).slice(0, sent.length);
  return sent.length > 0 && found.length === sent.length && sent.every((block, index) => identityOf(block) === identityAt(found[index]));
}

function isWhole(reply: SentReply, rest: readonly ConversationBlock[]): boolean {
  return sendable(reply).every((block, index) => identityOf(block) === identityAt(rest[index]));
}

function sendable(reply: SentReply): readonly Json[] {
  return reply.blocks.filter((block) => isThinking(block) || countsForBinding(block));
}

function identityAt(at: ConversationBlock | undefined): string | undefined {
  return at?.role === "assistant" ? identityOf(at.block) : undefined;
}
