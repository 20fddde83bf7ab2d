import type { AgentContext } from "../../core/agent.ts";
import { AppError } from "../../core/errors.ts";
import type { TaskId } from "../../core/task.ts";
import { findTask } from "../../engine/find-task.ts";
import type { OutgoingMessage } from "../send-message.ts";
import type { AgentWorld } from "./agent-world.ts";
import { reachAgent } from "./reach-agent.ts";

/**
 * Gives a message from outside the run to an agent of its conversation that has ended: it goes on with it for the root,
 * which waits for it and is told of its end. Rejects as `reachAgent`, and with code `task_ending` where the root waits for
 * nothing any more.
 */
export async function wakeForUser(id: TaskId, message: OutgoingMessage, { root, world }: { readonly root: AgentContext; readonly world: AgentWorld }): Promise<void> {
  if (findTask(id, root.host)?.type !== "local_agent") throw new AppError("not_found", `Cannot send to task "${id}": it is no agent of this conversation`, { code: "unknown_agent" });
  const input = world.inputs.get(root.agentId);
  if (input === undefined || input.isClosed()) throw new AppError("conflict", `Cannot send to task "${id}": the run that it belongs to is just ending`, { code: "task_ending" });
  const release = input.hold();
  try {
    await reachAgent(id, message, { waker: root, world });
  } finally {
    release();
  }
}
