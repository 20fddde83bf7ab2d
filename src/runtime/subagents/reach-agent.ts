import type { AgentContext } from "../../core/agent.ts";
import { AppError } from "../../core/errors.ts";
import { isTerminalTaskStatus, type TaskId } from "../../core/task.ts";
import { findTask } from "../../engine/find-task.ts";
import type { SentMessage } from "../../tasks/local_agent/index.ts";
import { deliverMessage } from "../deliver-message.ts";
import type { OutgoingMessage } from "../send-message.ts";
import type { AgentWorld } from "./agent-world.ts";
import { resumeSubagent } from "./resume-subagent.ts";

/** An agent that is ending gives its processes 5 s. */
const ENDING_WAIT_MS = 15_000;

interface Waking {
  /** Who is told of the end of an agent that goes on. */
  readonly waker: AgentContext;
  readonly world: AgentWorld;
}

/**
 * Brings a message into the conversation of an agent: one that works gets it between two steps, one that has ended goes on
 * with it. Once this has resolved, the message is on disk, and comes into the conversation once. Rejects with an
 * `AppError` where the agent cannot be reached; then the message is gone.
 */
export async function reachAgent(id: TaskId, message: OutgoingMessage, waking: Waking): Promise<SentMessage> {
  const mail = createMail(id, message, waking.world);
  try {
    for (;;) {
      if (await mail.isTaken()) return { id, isWoken: mail.isRecorded() };
      await refuseElsewhere(id, waking.world);
      if (!waking.world.subagents.isBackgroundEnabled) throw new AppError("usage", `Cannot send to agent ${id}: it has ended, and agents do not go on in the background here`, { code: "background_disabled" });
      await isOver(id, waking.world);
      if (await wake(id, mail, waking)) return { id, isWoken: true };
    }
  } catch (error) {
    await mail.withdraw();
    throw error;
  }
}

type Mail = ReturnType<typeof createMail>;

/** A message that is on record already is never put there twice, whoever wakes the agent in the meantime. */
function createMail(id: TaskId, { messageId, text, sender }: OutgoingMessage, { run, inputs }: AgentWorld) {
  const message = { messageId, taskId: id, text, ...(sender === undefined ? {} : { sender }) };
  let isRecorded = false;
  return {
    isRecorded: () => isRecorded,
    isWaiting: () => run.ledger.pendingMessages(id).some((pending) => pending.messageId === messageId),
    async record(): Promise<void> {
      if (isRecorded) return;
      await run.ledger.insertMessage({ ...message, sentAt: run.host.now() });
      isRecorded = true;
    },
    /** Whether the agent works and has the message, or will see it: a conversation looks once more before it closes. */
    async isTaken(): Promise<boolean> {
      const input = inputs.get(id);
      if (!isRecorded) return input !== undefined && (await deliverMessage(message, input, run));
      if (!this.isWaiting()) return true;
      if (input === undefined || input.isClosed()) return false;
      run.news.wake();
      return true;
    },
    async withdraw(): Promise<void> {
      if (isRecorded) await run.ledger.removeMessages([messageId]);
    },
  };
}

/** Begins the next attempt with what waits on record. False where somebody else has done so first. */
async function wake(id: TaskId, mail: Mail, { waker, world }: Waking): Promise<boolean> {
  const task = world.run.ledger.getTask(id);
  if (task === undefined) throw new AppError("not_found", `Cannot send to agent ${id}: it is not on record any more`, { code: "unknown_agent" });
  // Somebody has woken it since it was looked at.
  if (!isTerminalTaskStatus(task.status)) return false;
  await mail.record();
  // Another attempt may have begun and ended since, and have taken this along.
  if (!mail.isWaiting()) return true;
  try {
    await resumeSubagent(task, { waker, world });
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "exists") throw error;
    return false;
  }
}

/** An agent that its user goes on with by itself works for nobody here. */
async function refuseElsewhere(id: TaskId, { run }: AgentWorld): Promise<void> {
  const isElsewhere = (record = run.ledger.getTask(id)) => record !== undefined && record.runId !== run.runId && !isTerminalTaskStatus(record.status);
  if (!isElsewhere()) return;
  await run.reap(run.ledger.getTask(id)?.runId ?? "");
  if (!isElsewhere()) return;
  throw new AppError("conflict", `Cannot send to agent ${id}: it works in a run of its own, for its user`, { code: "own_run" });
}

/** Resolves when the task has ended: a conversation that has closed ends within moments. */
async function isOver(id: TaskId, { run: { host } }: AgentWorld): Promise<void> {
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
