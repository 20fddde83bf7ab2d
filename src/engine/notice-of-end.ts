import { randomUUID } from "node:crypto";
import type { NotificationRow } from "../core/task-host.ts";
import type { TaskState } from "../core/task-state.ts";

/** The notice of its end that an attempt owes to whoever started it; empty where nobody did. */
export function noticeOfEnd({ id, attempt, parentTaskId }: TaskState): { readonly notification?: NotificationRow } {
  if (parentTaskId === undefined) return {};
  return { notification: { notificationId: randomUUID(), taskId: id, attempt, recipientTaskId: parentTaskId } };
}
