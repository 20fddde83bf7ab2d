import { toolUses, type Message, type ToolResultBlock, type ToolUseBlock } from "../core/message.ts";
import type { TranscriptEntry } from "../store/transcript-entry.ts";
import { applyEdit } from "./compaction/apply-edit.ts";
import { isCallOutcome, isCallIntent, contextEditOf } from "./transcript-journal.ts";

/** A conversation as its transcript has it, ready to go on. */
export interface RebuiltConversation {
  readonly messages: readonly Message[];
  /**
   * The answer to calls that the transcript leaves open, because the process ended while they ran. It is not in
   * `messages` and has to be recorded before anything else.
   */
  readonly missingAnswer: readonly ToolResultBlock[];
  /** What stands in the conversation although the ledger may not know that it was delivered. */
  readonly deliveryIds: readonly string[];
}

const UNKNOWN_OUTCOME =
  "Unknown outcome: the program ended while this call was running. It may have taken effect, wholly or in part. Find out before you do it again.";
const NOT_RUN = "Not run: the program ended before this call began. Make it again if it is still needed.";

/** Reads a conversation back. No call is ever repeated: one that was in flight is answered with what is known of it. */
export function rebuildConversation(entries: readonly TranscriptEntry[]): RebuiltConversation {
  const messages = sentMessages(entries);
  const last = messages.at(-1);
  const open = last?.role === "assistant" ? toolUses(last) : [];
  // What was said of calls with the same id in an earlier turn does not count.
  const sinceLast = entries.slice(entries.findLastIndex(({ message }) => message !== undefined));
  return {
    messages,
    missingAnswer: open.map((call) => answerFromJournal(call, sinceLast)),
    deliveryIds: entries.flatMap(({ deliveryIds }) => (Array.isArray(deliveryIds) ? deliveryIds.filter((id) => typeof id === "string") : [])),
  };
}

/** What was told, as it was sent last: changed by every edit at the place where that stands. */
function sentMessages(entries: readonly TranscriptEntry[]): readonly Message[] {
  let messages: readonly Message[] = [];
  for (const entry of entries) {
    const { message } = entry;
    const edit = contextEditOf(entry);
    if (message !== undefined) messages = [...messages, message];
    else if (edit !== undefined) messages = applyEdit(messages, edit);
  }
  return messages;
}

function answerFromJournal(call: ToolUseBlock, entries: readonly TranscriptEntry[]): ToolResultBlock {
  const outcome = entries.find((entry) => isCallOutcome(entry, call.id));
  if (outcome !== undefined) {
    const { content, isError } = outcome;
    return result(call, typeof content === "string" && content !== "" ? content : "(no output)", isError === true);
  }
  const wasBegun = entries.some((entry) => isCallIntent(entry, call.id));
  return result(call, wasBegun ? UNKNOWN_OUTCOME : NOT_RUN, true);
}

function result(call: ToolUseBlock, content: string, isError: boolean): ToolResultBlock {
  return { type: "tool_result", tool_use_id: call.id, content, ...(isError ? { is_error: true } : {}) };
}
