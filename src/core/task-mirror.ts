import type { Message } from "./message.ts";
import type { TaskMirror } from "./task-state.ts";

/** How many messages of an agent are kept in memory for whoever looks at it. The transcript on disk has all of them. */
export const MIRRORED_MESSAGES_MAX = 50;

/** The mirror of an agent that nobody looks at yet. */
export const EMPTY_MIRROR: TaskMirror = { retain: false, messages: [], isLoadedFromDisk: false, pendingMessages: [] };

/** The latest messages with one more, at most `MIRRORED_MESSAGES_MAX` of them. */
export function appendCappedMessage(messages: readonly Message[], message: Message): readonly Message[] {
  return [...messages.slice(-(MIRRORED_MESSAGES_MAX - 1)), message];
}
