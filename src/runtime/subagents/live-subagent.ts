import type { QueryParams } from "../../agent/loop-params.ts";
import { parseForkReport } from "../../agent/fork-report.ts";
import { query } from "../../agent/query.ts";
import { AppError, errorMessage } from "../../core/errors.ts";
import { exitFor, statusFor } from "../../core/exit-code.ts";
import type { AgentContext } from "../../core/agent.ts";
import type { TaskEnding } from "../../core/task-state.ts";
import { isTerminalTaskStatus, type TaskId } from "../../core/task.ts";
import { endTask } from "../../engine/end-task.ts";
import { stopTask } from "../../engine/stop-task.ts";
import { updateTaskState } from "../../engine/update-task-state.ts";
import { cutToBytes } from "../../lib/cut-to-bytes.ts";
import type { AgentEnd } from "../../tasks/local_agent/index.ts";
import { loadTaskKind } from "../../tasks/registry.ts";
import { createAgentReport, type AgentReport } from "../agent-report.ts";
import { exitForStop, runError, type RunOutcome } from "../run-outcome.ts";
import { runStopOf } from "../run-request.ts";
import type { AgentWorld } from "./agent-world.ts";
import { endWork } from "./end-work.ts";

/** What of an agent's last message stands in its record, and so in the notice of its end. */
const RESULT_BYTES_MAX = 30_000;
const NO_REPORT = "[This is not in the form in which a fork is to report; it may have left something out]";

export interface LiveParams {
  readonly world: AgentWorld;
  readonly context: AgentContext;
  readonly isBackgrounded: boolean;
  /** Sets up what the loop works with; what it rejects with is the agent's failure. */
  readonly prepare: () => Promise<{ readonly loop: QueryParams; readonly close: () => Promise<void> }>;
  readonly signal: AbortSignal;
  /** Whether somebody is stopping the task: they write its ending. */
  readonly isBeingStopped: () => boolean;
}

/**
 * Lets a subagent do its work and puts its end on record, in whatever way it ends: its last message with it, and one
 * notice where nobody waits for it. What it still runs is stopped then.
 */
export async function liveSubagent(params: LiveParams): Promise<AgentEnd> {
  const { world, context, isBackgrounded } = params;
  const { agentId: id, host } = context;
  const report = createAgentReport({ agentId: id, isRoot: false, parentId: host.getAppState().tasks[id]?.parentTaskId ?? null, host, prices: world.prices, tree: world.totals });
  let close = nothingOpened;
  const outcome = await work(params, report, (opened) => (close = opened));
  // What is sent from now on wakes it again, once its end is on record.
  world.inputs.get(id)?.close();
  await stopOwnTasks(id, world.run);
  // Whoever it started may use what is its own.
  await close();
  const isolation = host.worktrees.get(id);
  const worktree = isolation === undefined ? undefined : await endWork(isolation, world.run);
  const said = context.role === "fork" && outcome.reason === "ok" && parseForkReport(outcome.text) === undefined ? `${outcome.text}\n${NO_REPORT}` : outcome.text;
  const text = cutToBytes(said, RESULT_BYTES_MAX);
  const detail = { ...report.detail(), result: text, denialCount: outcome.denials.length, ...(worktree === undefined ? {} : { worktree }) };
  if (params.isBeingStopped()) await keepPartialResult(id, host, detail);
  else await endTask(id, endingOf(outcome, detail), host, { isSilent: !isBackgrounded });
  return {
    isSuccess: outcome.reason === "ok",
    text: said,
    ...(outcome.error === undefined ? {} : { error: outcome.error.message }),
    denialCount: outcome.denials.length,
    ...(worktree?.kept === true ? { worktree } : {}),
  };
}

const nothingOpened = () => Promise.resolve();

/** @param onOpened gets what closes what was opened for the work, in whatever way that ends */
async function work({ world, context, prepare, signal }: LiveParams, report: AgentReport, onOpened: (close: () => Promise<void>) => void): Promise<RunOutcome> {
  try {
    const prepared = await prepare();
    onOpened(prepared.close);
    const loop = query(prepared.loop);
    let step = await loop.next();
    while (step.done !== true) {
      report.add(step.value);
      world.budgets.get(context.agentId)?.note(step.value);
      await world.onSubagentEvent(step.value);
      step = await loop.next();
    }
    const text = step.value.type === "end_turn" ? step.value.text : report.lastText();
    return { ...report.totals(), ...exitForStop(step.value, { wasDeniedLast: report.wasDeniedLast(), waitMsMax: world.limits.waitMsMax }), text };
  } catch (error) {
    if (signal.aborted) {
      const { reason, message } = runStopOf(signal.reason);
      return { ...report.totals(), reason, text: report.lastText(), error: runError(reason, message) };
    }
    const reason = error instanceof AppError ? error.reason : "internal";
    return { ...report.totals(), reason, text: report.lastText(), error: runError(error instanceof AppError ? error.code : reason, errorMessage(error)) };
  }
}

/** A stop that was asked for is written by whoever asked; the message that there was by then is kept for it. */
async function keepPartialResult(id: TaskId, host: AgentContext["host"], detail: Readonly<Record<string, unknown>>): Promise<void> {
  const attempt = host.getAppState().tasks[id]?.attempt;
  if (attempt === undefined) return;
  await host.ledger.patchTask(id, attempt, { detail });
  updateTaskState(id, host.setAppState, (task) => ({ ...task, detail: { ...task.detail, ...detail } }));
}

function endingOf(outcome: RunOutcome, detail: Readonly<Record<string, unknown>>): TaskEnding {
  return {
    status: statusFor(outcome.reason),
    exit: exitFor(outcome.reason),
    ...(outcome.error === undefined ? {} : { error: outcome.error.message }),
    detail,
  };
}

/** Whatever way an agent ends, what it started in the background ends with it; nobody is left who would hear of it. */
async function stopOwnTasks(id: TaskId, { host, warn }: AgentWorld["run"]): Promise<void> {
  const own = Object.values(host.getAppState().tasks).filter((task) => task.parentTaskId === id && !isTerminalTaskStatus(task.status));
  await Promise.all(
    own.map(async (task) => {
      try {
        await stopTask(task.id, host, { findKind: loadTaskKind, isSilent: true });
      } catch (error) {
        // It may have ended by itself in the meantime. Whatever it is, the agent's own end goes on record.
        if (!(error instanceof AppError) || error.code !== "not_running") warn(`Task ${task.id} could not be stopped: ${errorMessage(error)}`);
      }
    }),
  );
}
