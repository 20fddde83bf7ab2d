import type { ContextEdit } from "../core/context-edit.ts";
import { joinUserMessages, type Message } from "../core/message.ts";
import { applyEdit } from "./compaction/apply-edit.ts";

/** A conversation while it goes on: what is added to it and what is taken out of it is on record before it counts. */
export interface Conversation {
  readonly messages: readonly Message[];
  /** As it is sent: neighboring messages of the user are one. */
  toSend(): readonly Message[];
  add(message: Message, deliveryIds?: readonly string[]): Promise<void>;
  edit(edit: ContextEdit): Promise<void>;
}

export interface ConversationRecord {
  readonly record: (message: Message, deliveryIds: readonly string[]) => Promise<void>;
  readonly recordEdit: (edit: ContextEdit) => Promise<void>;
}

/** Both functions of the record reject where it cannot be written; the conversation is unchanged then. */
export function createConversation(history: readonly Message[], { record, recordEdit }: ConversationRecord): Conversation {
  let messages: readonly Message[] = [...history];
  return {
    get messages() {
      return messages;
    },
    toSend: () => joinUserMessages(messages),
    async add(message, deliveryIds = []) {
      await record(message, deliveryIds);
      messages = [...messages, message];
    },
    async edit(edit) {
      await recordEdit(edit);
      messages = applyEdit(messages, edit);
    },
  };
}
