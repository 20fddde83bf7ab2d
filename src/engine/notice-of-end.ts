import { randomUUID } from "node:crypto";
import type { NotificationRow } from "../core/task-host.ts";
import { nearestLivingAncestor } from "../core/living-ancestor.ts";
import type { AppState, TaskState } from "../core/task-state.ts";

/**
 * The notice of its end that an attempt owes to whoever started it; empty where nobody did. Where that task has ended
 * itself, its nearest living ancestor gets the notice.
 *
 * @param tasks the tasks in memory, by id
 */
export function noticeOfEnd(task: TaskState, tasks: AppState["tasks"] = {}): { readonly notification?: NotificationRow } {
  const recipient = nearestLivingAncestor(task, tasks) ?? task.parentTaskId;
  if (recipient === undefined) return {};
  return { notification: { notificationId: randomUUID(), taskId: task.id, attempt: task.attempt, recipientTaskId: recipient } };
}
