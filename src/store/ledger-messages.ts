import type { Database } from "bun:sqlite";
import type { TaskId } from "../core/task.ts";

/** A message that somebody sent to an agent and that has not come into its conversation yet. */
export interface MessageRow {
  readonly messageId: string;
  readonly taskId: TaskId;
  /** Who says so; undefined for the user. */
  readonly sender?: string;
  readonly text: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
}

interface MessageRecord {
  readonly message_id: string;
  readonly sender: string | null;
  readonly text: string;
  readonly sent_at: number;
}

/** One with the same id is the same message. */
export function insertMessage(database: Database, message: MessageRow): void {
  database
    .query<unknown, [string, string, string | null, string, number]>(
      "INSERT OR IGNORE INTO messages (message_id, task_id, sender, text, sent_at) VALUES (?, ?, ?, ?, ?)",
    )
    .run(message.messageId, message.taskId, message.sender ?? null, message.text, message.sentAt);
}

/** Oldest first. */
export function pendingMessages(database: Database, taskId: TaskId): MessageRow[] {
  return database
    .query<MessageRecord, [string]>("SELECT message_id, sender, text, sent_at FROM messages WHERE task_id = ? ORDER BY sent_at, rowid")
    .all(taskId)
    .map((record) => ({
      messageId: record.message_id,
      taskId,
      ...(record.sender === null ? {} : { sender: record.sender }),
      text: record.text,
      sentAt: record.sent_at,
    }));
}

/** What stands in a transcript need not be kept twice. */
export function removeMessages(database: Database, messageIds: readonly string[]): void {
  database
    .query<unknown, [string]>("DELETE FROM messages WHERE message_id IN (SELECT value FROM json_each(?))")
    .run(JSON.stringify(messageIds));
}
