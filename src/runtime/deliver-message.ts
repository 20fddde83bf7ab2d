import type { TaskId } from "../core/task.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import type { OpenRun } from "./open-run.ts";
import type { RootInput } from "./root-input.ts";

/**
 * Puts a message to an agent that works in this run on record and wakes it. Once this has resolved to true, the message
 * comes into its conversation, in this run or the next; false where the conversation ended meanwhile: nothing is on record.
 */
export async function deliverMessage(
  message: { readonly messageId: string; readonly taskId: TaskId; readonly text: string; readonly sender?: string },
  input: RootInput,
  { ledger, host, news }: OpenRun,
): Promise<boolean> {
  if (input.isClosed()) return false;
  await ledger.insertMessage({ ...message, sentAt: host.now() });
  if (TEST_HOOKS) crashPoint("after-message-commit");
  if (input.isClosed()) {
    // The conversation ended while the message was being written, and nobody will read it here.
    await ledger.removeMessages([message.messageId]);
    return false;
  }
  news.wake();
  return true;
}
