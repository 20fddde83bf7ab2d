import { AppError } from "../../core/errors.ts";
import type { TaskState } from "../../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId } from "../../core/task.ts";
import { wallClock } from "../../platform/wall-clock.ts";
import type { TaskStore } from "../../runtime/open-task-store.ts";
import { workingAbove } from "../../runtime/working-above.ts";
import { announceMessage, isEnded, sendMessage, sendThrough, type OutgoingMessage } from "../../runtime/send-message.ts";
import type { CliIo } from "../command.ts";
import { loadWaking } from "./registry.ts";
import { unknownTask } from "./resolve-task-reference.ts";

interface Delivery {
  readonly id: TaskId;
  readonly message: OutgoingMessage;
  readonly store: TaskStore;
  readonly io: CliIo;
}

/** An agent that is just ending gives its processes 5 s. */
const ENDING_WAIT_MS = 15_000;
const RETRY_MS = 50;

/**
 * Gives a message to an agent: a running one gets it at its next turn, one that has ended is woken by it: in the run of
 * the agent that started it while that works, otherwise in one of its own. Resolves to the id of the message when it is on
 * disk and somebody is there to read it.
 *
 * Rejects with an `AppError`: `not_found`; `conflict` for what is no agent and for one whose process does not answer; and
 * as a run does that cannot be started.
 */
export async function sendToAgent(delivery: Delivery): Promise<string> {
  const { id, message, store } = delivery;
  const deadline = performance.now() + ENDING_WAIT_MS;
  const waker = createWaker(delivery);
  for (;;) {
    const task = agentOf(delivery);
    try {
      const above = isTerminalTaskStatus(task.status) ? workingAbove(task, store.ledger) : undefined;
      if (above !== undefined) return await waker.wakeThrough(above);
      if (isTerminalTaskStatus(task.status)) return await waker.wake();
      return (await waker.announce()) ?? (await sendMessage(id, message, store));
    } catch (error) {
      // The agent has ended, or was woken by somebody else, since it was looked at.
      const isOvertaken = error instanceof AppError && (isEnded(error) || error.code === "conversation_running" || (error.reason === "conflict" && agentOf(delivery).attempt > task.attempt));
      if (!isOvertaken || performance.now() >= deadline) {
        await waker.withdraw();
        throw error;
      }
    }
    await Bun.sleep(RETRY_MS);
  }
}

/** A message that is on record already is never put there twice, whatever happens to the agent in the meantime. */
function createWaker({ id, message: { messageId, text, sender }, store, io }: Delivery) {
  let isRecorded = false;

  async function record(): Promise<void> {
    await store.ledger.insertMessage({ messageId, taskId: id, text, sentAt: wallClock(), ...(sender === undefined ? {} : { sender }) });
    isRecorded = true;
  }

  const isWaiting = () => store.ledger.pendingMessages(id).some((pending) => pending.messageId === messageId);

  return {
    async wake(): Promise<string> {
      const waking = await (await loadWaking()).prepareWaking(id, io);
      if (!isRecorded) await record();
      if (isWaiting()) await waking.launch();
      return messageId;
    },
    async wakeThrough(above: TaskId): Promise<string> {
      // An attempt that was woken for it, or by somebody else, may have taken it.
      return isRecorded && !isWaiting() ? messageId : await sendThrough(above, id, { messageId, text, sender }, store);
    },
    /** Resolves to undefined when nothing is on record. */
    async announce(): Promise<string | undefined> {
      if (!isRecorded) return undefined;
      await announceMessage(id, store);
      return messageId;
    },
    async withdraw(): Promise<void> {
      if (isRecorded) await store.ledger.removeMessages([messageId]);
    },
  };
}

function agentOf({ id, store }: Delivery): TaskState {
  const task = store.ledger.getTask(id);
  if (task === undefined) throw unknownTask(id);
  if (task.type === "local_agent") return task;
  throw new AppError("conflict", `Cannot send to task "${id}": it is a ${task.type}, and only agents take messages`, { code: "not_an_agent" });
}
