import { randomUUID } from "node:crypto";
import type { AgentContext } from "../../core/agent.ts";
import { AppError } from "../../core/errors.ts";
import type { TaskState } from "../../core/task-state.ts";
import { isTaskId, isTerminalTaskStatus, type TaskId } from "../../core/task.ts";
import { findTask } from "../../engine/find-task.ts";
import type { AgentMessage, SentMessage } from "../../tasks/local_agent/index.ts";
import type { AgentWorld } from "./agent-world.ts";
import { lineOf } from "./line-of.ts";
import { reachAgent } from "./reach-agent.ts";

/**
 * Gives a message of one agent to another of this conversation: one that works gets it between two steps, one that has
 * ended goes on with it in the background. Rejects with an `AppError` for who is no agent or cannot be reached.
 */
export async function messageAgent({ to, text }: AgentMessage, sender: AgentContext, world: AgentWorld): Promise<SentMessage> {
  const { id } = addressee(to, sender, world);
  if (id === sender.agentId) throw new AppError("usage", "Cannot send a message to oneself", { code: "own_line" });
  if (id === rootOf(sender) && world.inputs.get(id)?.isClosed() !== false) throw new AppError("conflict", `Cannot send to "${to}": the run is just ending`, { code: "task_ending" });
  return await reachAgent(id, { messageId: randomUUID(), text, sender: senderName(sender) }, { waker: sender, world });
}

/** By id or name, of several the one that works; also of an earlier run of the conversation. */
function addressee(to: string, { host }: AgentContext, { run }: AgentWorld): TaskState {
  const byId = isTaskId(to) ? findTask(to, host) : undefined;
  const named = run.ledger.agentsNamed(to, run.sessionId);
  const task = byId ?? named.find(({ status }) => !isTerminalTaskStatus(status)) ?? named[0];
  if (byId === undefined && task !== undefined && isTerminalTaskStatus(task.status) && named.length > 1) {
    throw new AppError("usage", `Cannot send to "${to}": several agents of that name have ended, ${named.map(({ id }) => id).join(", ")}: use the id of one`, { code: "ambiguous_agent" });
  }
  if (task === undefined) throw new AppError("not_found", `Cannot send to "${to.slice(0, 64)}": no agent of this conversation has that name or id`, { code: "unknown_agent" });
  if (task.type !== "local_agent") throw new AppError("usage", `Cannot send to "${to}": it is a ${task.type}, and only agents have a conversation`, { code: "not_an_agent" });
  return task;
}

/** The agent at the top of the line that an agent works in. */
function rootOf({ agentId, host }: AgentContext): TaskId {
  const line = lineOf(agentId, host.getAppState().tasks);
  return line.at(-1) ?? agentId;
}

function senderName({ agentId, host }: AgentContext): string {
  return host.getAppState().tasks[agentId]?.name ?? agentId;
}
