import { taskNotification, type PendingInput } from "../core/notification.ts";
import type { NotificationRow, TaskHost } from "../core/task-host.ts";
import type { AppState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import type { Ledger } from "../store/ledger.ts";
import { evictTerminalTasks } from "./evict-terminal-task.ts";

/** The notices that are due to a task, oldest first. They stay due until `confirmNotices`. */
export function dueNotices(recipient: TaskId, ledger: Ledger): PendingInput[] {
  return ledger.pendingNotifications(recipient).flatMap((row) => {
    const task = ledger.getTask(row.taskId, row.attempt);
    return task === undefined ? [] : [{ text: taskNotification(task), deliveryId: row.notificationId }];
  });
}

/**
 * Records that notices stand in the recipient's transcript. A crash between the two is mended at the next start: the
 * transcript decides.
 */
export async function confirmNotices(recipient: TaskId, deliveryIds: readonly string[], host: TaskHost & { readonly ledger: Ledger }): Promise<void> {
  const ids = new Set(deliveryIds);
  const delivered = host.ledger.pendingNotifications(recipient).filter(({ notificationId }) => ids.has(notificationId));
  if (delivered.length === 0) return;
  if (TEST_HOOKS) crashPoint("before-delivery-commit");
  await Promise.all(delivered.map(({ taskId, attempt }) => host.ledger.patchTask(taskId, attempt, { notified: true })));
  if (TEST_HOOKS) crashPoint("after-delivery-commit");
  for (const { notificationId, taskId } of delivered) {
    host.emit({ type: "task.notification", task_id: recipient, parent_task_id: null, notification_id: notificationId, about_task_id: taskId });
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
