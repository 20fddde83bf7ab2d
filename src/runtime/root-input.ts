import type { TurnInput } from "../agent/turn-input.ts";
import { runningShells, unfinishedWork } from "../core/counted-work.ts";
import type { PendingInput } from "../core/notification.ts";
import type { TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";
import { dueNotices } from "../engine/due-notices.ts";
import { escapeMarkup } from "../lib/escape-markup.ts";
import { formatDuration } from "../lib/duration.ts";
import { attributedMessage } from "./attributed-message.ts";
import type { OpenRun } from "./open-run.ts";
import type { BackgroundPolicy } from "./run-request.ts";

export interface RootInput extends TurnInput {
  /** Ends the current turn; the conversation goes on with the next message. False when no turn is under way. */
  interrupt(): boolean;
  /** Something is about to begin for which the conversation is to wait. Returns how to say that it has, or will not. */
  hold(): () => void;
  /** Nobody reads any more what comes from now on, in whatever way the conversation has ended. */
  close(): void;
  /** Whether the conversation has ended: what is sent now comes too late for it. */
  isClosed(): boolean;
}

export interface RootInputParams {
  readonly agentId: TaskId;
  readonly run: Pick<OpenRun, "host" | "ledger" | "news">;
  readonly signal: AbortSignal;
  /** Aborted when there is to be no further turn; what is still waited for is waited for. */
  readonly interruptSignal?: AbortSignal | undefined;
  readonly policy: BackgroundPolicy;
  /** Whether all agents of the run are waited for, as by its root, or those alone that this one has started; `run` unless told. */
  readonly scope?: "run" | "own";
  /** How long it waits after an interruption for what to do instead; an hour unless told. */
  readonly interruptedWaitMs?: number;
  /** What a model that ends its turn is to be told by the program before the conversation closes; undefined for nothing. */
  readonly reminder?: () => string | undefined;
}

/** How long an interrupted run waits for the message that tells it what to do instead. */
const INTERRUPTED_WAIT_MS = 3_600_000;
/** Changes made elsewhere, by a command that writes to the ledger itself, are seen at the latest after so long. */
const POLL_MS = 1_000;

/** What comes into the conversation of a run's root agent: messages, notices, and what a run waits for at its end. */
export function createRootInput(params: RootInputParams): RootInput {
  const { agentId, run, signal, interruptSignal, policy } = params;
  const tasks = () => {
    const all = Object.values(run.host.getAppState().tasks);
    return params.scope === "own" ? all.filter(({ parentTaskId }) => parentTaskId === agentId) : all;
  };
  let turn = new AbortController();
  let isInTurn = false;
  let wereShellsNamed = false;
  let isClosed = false;
  let holds = 0;
  const isOver = () => interruptSignal?.aborted === true;
  interruptSignal?.addEventListener("abort", () => {
    turn.abort(interruptSignal.reason);
    run.news.wake();
  });
  const isWorkUnfinished = () => policy.onEnd === "wait" && (holds > 0 || unfinishedWork(agentId, tasks()).length > 0);

  function waiting(): readonly PendingInput[] {
    const messages = run.ledger.pendingMessages(agentId).map(({ text, messageId, sender }) => ({ text: attributedMessage(text, sender), deliveryId: messageId }));
    return [...messages, ...dueNotices(agentId, run.ledger)];
  }

  /** Between the last look and the closing nothing else runs: a message is either seen or finds the conversation closed. */
  function close(why: "ended" | "interrupted"): readonly PendingInput[] | undefined {
    const late = signal.aborted ? [] : waiting();
    if (late.length > 0) return late;
    const reminder = signal.aborted || why === "interrupted" ? undefined : params.reminder?.();
    isClosed = reminder === undefined;
    return reminder === undefined ? undefined : [{ text: reminder }];
  }

  /** Looks again whenever there is news, until something comes, or there is nothing to wait for, or time is up. */
  async function waitWhile(isWorthWaiting: () => boolean, limitMs: number): Promise<readonly PendingInput[]> {
    const deadline = run.host.activeMs() + limitMs;
    for (;;) {
      const since = run.news.count();
      // Nobody is there any more who would hear it in this run.
      const input = isOver() ? [] : waiting();
      if (input.length > 0 || signal.aborted || !isWorthWaiting() || run.host.activeMs() >= deadline) return input;
      await run.news.wait({ since, signal, timeoutMs: Math.min(POLL_MS, deadline - run.host.activeMs()) });
    }
  }

  return {
    pending: async () => (isOver() ? [] : waiting()),
    isClosed: () => isClosed,
    hold() {
      holds++;
      return () => {
        holds--;
        run.news.wake();
      };
    },
    close() {
      isClosed = true;
    },
    async next(why) {
      isInTurn = false;
      const input =
        why === "interrupted" && !isOver() ? await waitWhile(() => !isOver(), params.interruptedWaitMs ?? INTERRUPTED_WAIT_MS) : await waitWhile(isWorkUnfinished, policy.drainTimeoutMs);
      if (input.length > 0) return input;
      if (isOver()) {
        await waitWhile(isWorkUnfinished, policy.drainTimeoutMs);
        isClosed = true;
        return undefined;
      }
      const shells = runningShells(tasks());
      if (why === "interrupted" || signal.aborted || policy.onEnd === "kill" || wereShellsNamed || shells.length === 0) return close(why);
      wereShellsNamed = true;
      return [{ text: shellsNotice(shells, run.host.now()) }];
    },
    turnSignal() {
      if (turn.signal.aborted && !isOver()) turn = new AbortController();
      isInTurn = true;
      return turn.signal;
    },
    interrupt() {
      if (!isInTurn) return false;
      turn.abort({ reason: "interrupted", message: "Interrupted" });
      return true;
    },
  };
}

function shellsNotice(shells: readonly TaskState[], now: number): string {
  return [
    "<background-shells>",
    "These background shells still run and are stopped when you end your turn now:",
    ...shells.map((task) => `- ${task.id}: ${escapeMarkup(task.description)} (for ${formatDuration(now - task.startTime)}, output in ${task.outputFile})`),
    "If their outcome matters, wait for it with TaskOutput and block; otherwise just give your final message again.",
    "</background-shells>",
  ].join("\n");
}
