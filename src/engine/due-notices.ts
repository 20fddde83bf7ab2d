import { taskNotification, type PendingInput } from "../core/notification.ts";
import type { NotificationRow, TaskHost } from "../core/task-host.ts";
import type { AppState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import type { Ledger } from "../store/ledger.ts";
import { evictTerminalTasks } from "./evict-terminal-task.ts";

/** What many tasks say that end together would not fit into one prompt, and nothing could shorten the message that holds it. */
const NOTICES_BYTES_MAX = 100_000;

/** The notices that are due to a task, oldest first, as many as are told at once. They stay due until `confirmNotices`. */
export function dueNotices(recipient: TaskId, ledger: Pick<Ledger, "pendingNotifications" | "getTask">): PendingInput[] {
  const due: PendingInput[] = [];
  let bytes = 0;
  for (const { taskId, attempt, notificationId } of ledger.pendingNotifications(recipient)) {
    const task = ledger.getTask(taskId, attempt);
    if (task === undefined) continue;
    const text = taskNotification(task);
    bytes += Buffer.byteLength(text);
    if (bytes > NOTICES_BYTES_MAX && due.length > 0) break;
    due.push({ text, deliveryId: notificationId });
  }
  return due;
}

/**
 * Records that notices stand in the recipient's transcript. A crash between the two is mended at the next start: the
 * transcript decides.
 */
export async function confirmNotices(recipient: TaskId, deliveryIds: readonly string[], host: TaskHost & { readonly ledger: Ledger }): Promise<void> {
  if (deliveryIds.length === 0) return;
  const ids = new Set(deliveryIds);
  const delivered = host.ledger.pendingNotifications(recipient).filter(({ notificationId }) => ids.has(notificationId));
  if (delivered.length === 0) return;
  if (TEST_HOOKS) crashPoint("before-delivery-commit");
  await Promise.all(delivered.map(({ taskId, attempt }) => host.ledger.patchTask(taskId, attempt, { notified: true })));
  if (TEST_HOOKS) crashPoint("after-delivery-commit");
  const parent = host.getAppState().tasks[recipient]?.parentTaskId ?? null;
  for (const { notificationId, taskId } of delivered) {
    host.emit({ type: "task.notification", task_id: recipient, parent_task_id: parent, notification_id: notificationId, about_task_id: taskId });
  }
  host.setAppState((state) => withNotified(state, delivered));
  evictTerminalTasks(delivered.map(({ taskId }) => taskId), host.setAppState, host.now());
}

function withNotified(state: AppState, delivered: readonly NotificationRow[]): AppState {
  const notified = delivered.flatMap(({ taskId, attempt }) => {
    const task = state.tasks[taskId];
    return task?.attempt === attempt ? [[taskId, { ...task, notified: true }] as const] : [];
  });
  return notified.length === 0 ? state : { ...state, tasks: { ...state.tasks, ...Object.fromEntries(notified) } };
}
