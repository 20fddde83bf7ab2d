import { AppError } from "../core/errors.ts";
import type { TaskId } from "../core/task.ts";
import { isRecord } from "../lib/is-record.ts";
import { askRunningTask } from "./ask-running-task.ts";
import type { TaskStore } from "./open-task-store.ts";

/** A message for an agent. */
export interface OutgoingMessage {
  /** One message, however often it is put on record: the process that did it first may have died before it said so. */
  readonly messageId: string;
  readonly text: string;
  /** Who says so; undefined for the user. */
  readonly sender: string | undefined;
}

const ANSWER_TIMEOUT_MS = 10_000;
/** One that is just ending is waited for, and a worktree may have to be made again. */
const WAKE_TIMEOUT_MS = 60_000;

/**
 * Gives a message to a running agent and resolves to the message's id when it is on disk.
 *
 * Rejects with an `AppError`: `not_found`, or `conflict` with code `not_running`, `task_terminal` or `task_ending` when the
 * agent takes no messages any more, `not_an_agent`, and `no_answer` when the process that owns it does not answer.
 */
export async function sendMessage(id: TaskId, { messageId, text, sender }: OutgoingMessage, store: TaskStore): Promise<string> {
  const answer = await askRunningTask({ id, store, op: "send", action: "send to", fields: { message_id: messageId, text, sender }, timeoutMs: ANSWER_TIMEOUT_MS });
  if (isRecord(answer) && typeof answer["message_id"] === "string") return answer["message_id"];
  throw new AppError("internal", `Cannot send to task "${id}": its run gave no id of the message`, { code: "malformed_answer" });
}

/**
 * Gives a message to an agent that has ended while one above it still works: it goes on in the same run. Resolves to the
 * message's id when it is on disk. Rejects as `sendMessage`.
 *
 * @param above the one that works
 */
export async function sendThrough(above: TaskId, to: TaskId, { messageId, text, sender }: OutgoingMessage, store: TaskStore): Promise<string> {
  await askRunningTask({ id: above, store, op: "wake", action: "send through", fields: { to, message_id: messageId, text, sender }, timeoutMs: WAKE_TIMEOUT_MS });
  return messageId;
}

/** Tells a running agent that there is a message on record for it. Rejects as `sendMessage`. */
export async function announceMessage(id: TaskId, store: TaskStore): Promise<void> {
  await askRunningTask({ id, store, op: "look", action: "send to", timeoutMs: ANSWER_TIMEOUT_MS });
}

/** Whether an error says that the agent has ended, or is about to: then it can be woken. */
export function isEnded({ code }: AppError): boolean {
  return ["not_running", "task_terminal", "task_ending"].includes(code);
}
