import { randomUUID } from "node:crypto";
import type { AgentContext } from "../../core/agent.ts";
import { AppError } from "../../core/errors.ts";
import type { TaskState } from "../../core/task-state.ts";
import { isTaskId, isTerminalTaskStatus, type TaskId } from "../../core/task.ts";
import { findTask } from "../../engine/find-task.ts";
import type { AgentMessage, SentMessage } from "../../tasks/local_agent/index.ts";
import { deliverMessage } from "../deliver-message.ts";
import type { AgentWorld } from "./agent-world.ts";
import { lineOf } from "./line-of.ts";
import { resumeSubagent } from "./resume-subagent.ts";

/** An agent that is ending gives its processes 5 s. */
const ENDING_WAIT_MS = 15_000;

/**
 * Gives a message to an agent of this conversation: one that works gets it between two steps, one that has ended goes on
 * with it in the background. Rejects with an `AppError` for who is no agent or cannot be reached.
 */
export async function messageAgent({ to, text }: AgentMessage, sender: AgentContext, world: AgentWorld): Promise<SentMessage> {
  const task = addressee(to, sender, world);
  const { id } = task;
  if (id === sender.agentId) throw new AppError("usage", "Cannot send a message to oneself", { code: "own_line" });
  const from = senderName(sender);
  for (;;) {
    const input = world.inputs.get(id);
    if (input !== undefined && (await deliverMessage({ messageId: randomUUID(), taskId: id, text, sender: from }, input, world.run))) return { id, isWoken: false };
    if (id === rootOf(sender)) throw new AppError("conflict", `Cannot send to "${to}": the run is just ending`, { code: "task_ending" });
    if (!world.subagents.isBackgroundEnabled) throw new AppError("usage", `Cannot send to "${to}": it has ended, and agents do not go on in the background here`, { code: "background_disabled" });
    await isOver(id, world.run);
    try {
      await resumeSubagent(findTask(id, world.run.host) ?? task, { text, from, sender, world });
      return { id, isWoken: true };
    } catch (error) {
      // Somebody else has woken it first: it works now, and gets this as well.
      if (!(error instanceof AppError) || error.code !== "exists") throw error;
    }
  }
}

/** By name, the latest one of that name, or by id; also of an earlier run of the conversation. */
function addressee(to: string, { host }: AgentContext, { run }: AgentWorld): TaskState {
  const task = run.ledger.agentNamed(to, run.sessionId) ?? (isTaskId(to) ? findTask(to, host) : undefined);
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

/** Resolves when the task has ended: a conversation that has closed ends within moments. */
async function isOver(id: TaskId, { host }: AgentWorld["run"]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const check = () => {
    const task = findTask(id, host);
    if (task === undefined || isTerminalTaskStatus(task.status)) resolve();
  };
  const timer = setTimeout(() => reject(new AppError("conflict", `Cannot send to agent ${id}: it is just ending`, { code: "task_ending" })), ENDING_WAIT_MS);
  const unsubscribe = host.onStateChange(check);
  check();
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}
