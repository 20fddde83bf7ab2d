import { taskNotification, type PendingInput } from "../core/notification.ts";
import type { TaskHost } from "../core/task-host.ts";
import type { TaskId } from "../core/task.ts";
import type { Ledger } from "../store/ledger.ts";
import { updateTaskState } from "./update-task-state.ts";

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
  for (const row of host.ledger.pendingNotifications(recipient)) {
    if (!deliveryIds.includes(row.notificationId)) continue;
    await host.ledger.patchTask(row.taskId, row.attempt, { notified: true });
    host.emit({ type: "task.notification", task_id: recipient, parent_task_id: null, notification_id: row.notificationId, about_task_id: row.taskId });
    updateTaskState(row.taskId, host.setAppState, (task) => (task.attempt === row.attempt ? { ...task, notified: true } : task));
  }
}
