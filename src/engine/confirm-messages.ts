import type { TaskHost } from "../core/task-host.ts";
import type { TaskId } from "../core/task.ts";
import type { Ledger } from "../store/ledger.ts";

/**
 * Records that messages stand in the recipient's transcript, and tells so of each that nobody knew it of. A crash between
 * the two is mended at the next start: the transcript decides.
 *
 * @param deliveryIds what came into the conversation, other things than messages too
 */
export async function confirmMessages(recipient: TaskId, deliveryIds: readonly string[], host: TaskHost & { readonly ledger: Ledger }): Promise<void> {
  if (deliveryIds.length === 0) return;
  const delivered = host.ledger.pendingMessages(recipient).filter(({ messageId }) => deliveryIds.includes(messageId));
  if (delivered.length === 0) return;
  await host.ledger.removeMessages(delivered.map(({ messageId }) => messageId));
  const parent = host.getAppState().tasks[recipient]?.parentTaskId ?? null;
  for (const { messageId } of delivered) host.emit({ type: "message.delivered", task_id: recipient, parent_task_id: parent, message_id: messageId });
}
