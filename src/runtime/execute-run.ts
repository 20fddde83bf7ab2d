import { endLeftProcesses } from "../engine/end-left-processes.ts";
import { endTask } from "../engine/end-task.ts";
import { AppError, errorMessage } from "../core/errors.ts";
import { undeliveredWork } from "../core/counted-work.ts";
import { exitFor, statusFor } from "../core/exit-code.ts";
import type { TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";
import type { ControlServer } from "../platform/control-socket.ts";
import { openRun, type OpenRun } from "./open-run.ts";
import { NO_WORK, runError, type RunOutcome } from "./run-outcome.ts";
import type { RootWork } from "./root-work.ts";
import type { RunParams } from "./run-params.ts";
import type { RunRequest, RunStop } from "./run-request.ts";
import { runResultBody, type RunResult } from "./run-result.ts";
import { serveRunControl } from "./serve-run-control.ts";
import { startRootWork } from "./start-root-work.ts";
import { stopChildren } from "./stop-children.ts";

/**
 * Does one run in this process, from taking its lock to its one `run.result`.
 *
 * Throws an `AppError` when the run could not be put on record; then nothing is left of it. Once it is on record, every
 * ending is a result, also where the record cannot be written any more. Where the work could not be started, the
 * observer is not told of the run.
 */
export async function executeRun(params: RunParams): Promise<RunResult> {
  const { request, controller, observer } = params;
  const run = await openRun(params);
  try {
    const finished = Promise.withResolvers<void>();
    const stopRoot = (stop: RunStop) => {
      controller.abort(stop);
      return finished.promise;
    };
    const root = await startRootWork({ ...params, run, stopRoot });
    const disarm = armTimeout(request.timeoutMs, controller);
    params.forceSignal?.addEventListener("abort", () => void endLeftProcesses(run.runId, run.ledger), { once: true });
    let control: ControlServer | undefined;
    try {
      control = serveRunControl({ run, root, stopRoot });
      if (root.hasStarted !== false) {
        await observer.onRegistered?.({
          taskId: root.taskId,
          runId: run.runId,
          sessionId: run.sessionId,
          outputFile: run.host.outputs.path(root.taskId),
          eventsFile: run.eventsFile,
          openLog: run.openLog,
        });
      }
    } catch (error) {
      // The work has begun: it is ended as by any other stop.
      controller.abort({ reason: "storage", message: errorMessage(error) } satisfies RunStop);
    }
    try {
      return await finish(run, root, request);
    } finally {
      disarm();
      finished.resolve();
      await control?.stop();
    }
  } finally {
    run.close();
  }
}

function armTimeout(timeoutMs: number | undefined, controller: AbortController): () => void {
  if (timeoutMs === undefined) return () => undefined;
  const stop: RunStop = { reason: "timeout", message: `Stopped: the run took longer than its --timeout of ${timeoutMs / 1_000} s` };
  const timer = setTimeout(() => controller.abort(stop), timeoutMs);
  return () => clearTimeout(timer);
}

/** Ledger first, then the event; the caller prints last. */
async function finish(run: OpenRun, root: RootWork, request: RunRequest): Promise<RunResult> {
  const outcome = await recordOutcome(run, root.taskId, withUndeliveredWork(await root.finish().catch(internalFailure), run, root.taskId));
  return run.emitResult(
    runResultBody({
      root: rootTask(run, root.taskId),
      outcome,
      tasks: Object.values(run.host.getAppState().tasks),
      durationMs: run.host.now() - run.startedAt,
      warnings: [...request.warnings, ...run.warnings()],
    }),
  );
}

/** A good answer is no success while work that it had to wait for is unfinished or was never heard of. */
function withUndeliveredWork(outcome: RunOutcome, run: OpenRun, rootTaskId: TaskId): RunOutcome {
  const missing = undeliveredWork(rootTaskId, Object.values(run.host.getAppState().tasks));
  if (outcome.reason !== "ok" || missing.length === 0) return outcome;
  const names = missing.map((task) => `${task.id} (${task.status})`).join(", ");
  return { ...outcome, reason: "child_failed", error: runError("child_failed", `The run ended before the outcome of these tasks was delivered: ${names}`) };
}

/** What cannot be put on record has not ended well, whatever the work came to. */
async function recordOutcome(run: OpenRun, id: TaskId, outcome: RunOutcome): Promise<RunOutcome> {
  try {
    await stopChildren(id, run.host);
    if (run.ledger.processesOf(run.runId, { all: true }).length > 0) await endLeftProcesses(run.runId, run.ledger);
    await recordEnding(run, id, outcome);
    await run.ledger.endRun(run.runId, run.host.now());
    return outcome;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { ...outcome, reason: error.reason, error: runError(error.code, error.message) };
  }
}

/** A defect ends the run as every other failure does: on record, with a result. */
function internalFailure(error: unknown): RunOutcome {
  return { ...NO_WORK, reason: "internal", error: runError("internal", `Internal error: ${errorMessage(error)}`) };
}

async function recordEnding(run: OpenRun, id: TaskId, outcome: RunOutcome): Promise<void> {
  const ending = {
    status: statusFor(outcome.reason),
    exit: exitFor(outcome.reason),
    ...(outcome.error === undefined ? {} : { error: outcome.error.message }),
    // A command has said what there is to say about it itself.
    ...(run.isAgent ? { detail: { result: outcome.text, turnCount: outcome.turnCount, costUsd: outcome.costUsd } } : {}),
  };
  await endTask(id, ending, run.host, { isSilent: true });
}

function rootTask(run: OpenRun, id: TaskId): TaskState {
  const task = run.host.getAppState().tasks[id];
  if (task === undefined) throw new Error(`The root task "${id}" is not in memory`);
  return task;
}
