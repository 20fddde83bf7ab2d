import type { Message } from "../core/message.ts";
import type { SetAppState } from "../core/task-state.ts";
import { appendCappedMessage } from "../core/task-mirror.ts";
import type { TaskId } from "../core/task.ts";
import { updateTaskState } from "./update-task-state.ts";

/** Shows a message of an agent to whoever looks at it in this process. Tasks without a mirror have no messages. */
export function mirrorMessage(id: TaskId, setAppState: SetAppState, message: Message): void {
  updateTaskState(id, setAppState, (task) =>
    task.mirror === undefined ? task : { ...task, mirror: { ...task.mirror, messages: appendCappedMessage(task.mirror.messages, message) } },
  );
}
