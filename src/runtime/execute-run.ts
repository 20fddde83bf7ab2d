import { endTask } from "../engine/end-task.ts";
import { AppError, errorMessage } from "../core/errors.ts";
import { undeliveredWork } from "../core/counted-work.ts";
import { exitFor, statusFor } from "../core/exit-code.ts";
import type { TaskState } from "../core/task-state.ts";
import type { TaskId } from "../core/task.ts";
import type { WorktreeOutcome } from "../core/worktree.ts";
import { startActiveTimer } from "../lib/active-timer.ts";
import type { ControlServer } from "../platform/control-socket.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import type { RunCassette } from "./cassette/run-cassette.ts";
import { describeRunState } from "./describe-run-state.ts";
import { haltOnSignals } from "./halt-on-signals.ts";
import { endIsolations } from "./isolate-root.ts";
import { openRun, type OpenRun } from "./open-run.ts";
import { loadCassette } from "./registry.ts";
import { NO_WORK, runError, type RunOutcome } from "./run-outcome.ts";
import type { RootWork } from "./root-work.ts";
import type { RunObserver, RunParams } from "./run-params.ts";
import type { RunStop } from "./run-request.ts";
import { runResultBody, type RunResult } from "./run-result.ts";
import { serveRunControl } from "./serve-run-control.ts";
import { startRootWork } from "./start-root-work.ts";
import { stopChildren } from "./stop-children.ts";
import { tellStateOnSignal } from "./tell-state-on-signal.ts";

/** Between the polite and the forced end, for somebody who does not want to wait. */
const FORCED_GRACE_MS = 300;

/**
 * Does one run in this process, from taking its lock to its one `run.result`.
 *
 * Throws an `AppError` when the run could not be put on record, or as `openCassette`; then nothing is left of it. Once it is on record, every
 * ending is a result, also where the record cannot be written any more. Where the work could not be started, the
 * observer is not told of the run.
 *
 * @param world.open opens the state of the run, for tests
 */
export async function executeRun(params: RunParams, world: { readonly open?: typeof openRun } = {}): Promise<RunResult> {
  const { work } = params.request;
  if (work.type !== "agent" || work.cassette === undefined) return await execute(params, world);
  const { openCassette } = await loadCassette();
  const cassette = openCassette(work.cassette, params);
  try {
    return await execute({ ...params, observer: cassette.observe(params.observer), cassette }, world);
  } finally {
    cassette.close();
  }
}

interface ExecuteParams extends RunParams {
  readonly cassette?: RunCassette;
}

async function execute(params: ExecuteParams, { open = openRun }: { readonly open?: typeof openRun }): Promise<RunResult> {
  const { request, controller, observer } = params;
  const startedMs = performance.now();
  const run = await open(params);
  const listening = [
    tellStateOnSignal({ describe: () => describeRunState(run), tell: observer.onStateAsked ?? (() => undefined) }),
    // A run in the background has no terminal that could halt it.
    ...(request.isBackgrounded ? [] : [haltOnSignals(run)]),
  ];
  try {
    const finished = Promise.withResolvers<void>();
    const stopRoot = (stop: RunStop) => {
      controller.abort(stop);
      return finished.promise;
    };
    const root = await startRootWork({ ...params, run, stopRoot }).catch((error: unknown) => withoutIsolation(error, run));
    const disarm = armTimeout(params, run);
    params.forceSignal?.addEventListener("abort", () => void run.supervision.end({ graceMs: FORCED_GRACE_MS }), { once: true });
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
      return await finish(run, root, { ...params, startedMs });
    } finally {
      disarm();
      finished.resolve();
      await control?.stop();
    }
  } finally {
    for (const listener of listening) listener.restore();
    run.close();
  }
}

function armTimeout({ request: { timeoutMs }, controller }: RunParams, { clock }: OpenRun): () => void {
  if (timeoutMs === undefined) return () => undefined;
  const stop: RunStop = { reason: "timeout", message: `Stopped: the run took longer than its --timeout of ${timeoutMs / 1_000} s` };
  return startActiveTimer({ limitMs: timeoutMs, activeMs: clock.activeMs, onDue: () => controller.abort(stop) });
}

/** Ledger first, then the event; the caller prints last. */
async function finish(run: OpenRun, root: RootWork, { request, observer, startedMs, cassette }: ExecuteParams & { readonly startedMs: number }): Promise<RunResult> {
  const answer = withUndeliveredWork(await root.finish().catch(internalFailure), run, root.taskId);
  const outcome = await recordOutcome(run, root.taskId, keepAnswer(answer, observer));
  if (TEST_HOOKS) crashPoint("before-result");
  const body = runResultBody({
    root: rootTask(run, root.taskId),
    outcome,
    tasks: tasksOnRecord(run),
    durationMs: performance.now() - startedMs,
    warnings: [...request.warnings, ...run.warnings()],
  });
  const result = run.emitResult(cassette?.result(body) ?? body);
  if (TEST_HOOKS) crashPoint("after-result");
  await closeRecord(run);
  return result;
}

/** Memory holds what is still of use; where the record cannot be read, that has to do. */
function tasksOnRecord({ ledger, runId, host }: OpenRun): readonly TaskState[] {
  try {
    return ledger.tasksOfRun(runId);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return Object.values(host.getAppState().tasks);
  }
}

/** From now on nothing of the run is missing anywhere. Where that cannot be written, whoever looks next makes sure of it. */
async function closeRecord(run: OpenRun): Promise<void> {
  try {
    await run.ledger.endRun(run.runId, run.host.now());
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  if (TEST_HOOKS) crashPoint("after-run-commit");
  run.keepBallast();
}

/** A good answer is no success while work that it had to wait for is unfinished or was never heard of. */
function withUndeliveredWork(outcome: RunOutcome, run: OpenRun, rootTaskId: TaskId): RunOutcome {
  const missing = undeliveredWork(rootTaskId, Object.values(run.host.getAppState().tasks));
  if (outcome.reason !== "ok" || missing.length === 0) return outcome;
  const names = missing.map((task) => `${task.id} (${task.status})`).join(", ");
  return { ...outcome, reason: "child_failed", error: runError("child_failed", `The run ended before the outcome of these tasks was delivered: ${names}`) };
}

function keepAnswer(outcome: RunOutcome, observer: RunObserver): RunOutcome {
  try {
    observer.onAnswer?.(outcome.text);
    return outcome;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // What went wrong first says more.
    return outcome.reason === "ok" ? { ...outcome, reason: error.reason, error: runError(error.code, error.message) } : outcome;
  }
}

/** What cannot be put on record has not ended well, whatever the work came to. */
async function recordOutcome(run: OpenRun, id: TaskId, outcome: RunOutcome): Promise<RunOutcome> {
  try {
    try {
      await stopChildren(id, run.host);
    } finally {
      await endProcesses(run);
    }
    await recordEnding(run, id, outcome, await endIsolations(run, id));
    return outcome;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // Where the disk has ended the work already, that says more.
    return outcome.reason === "storage" ? outcome : { ...outcome, reason: error.reason, error: runError(error.code, error.message) };
  }
}

/** Where nothing could be put on record, nobody would find what was made for it. */
async function withoutIsolation(error: unknown, run: OpenRun): Promise<never> {
  await endIsolations(run);
  throw error;
}

async function endProcesses(run: OpenRun): Promise<void> {
  const survivors = await run.supervision.end();
  if (survivors.length > 0) run.warn(`These processes could not be ended: ${survivors.join(", ")}`);
}

/** A defect ends the run as every other failure does: on record, with a result. */
function internalFailure(error: unknown): RunOutcome {
  return { ...NO_WORK, reason: "internal", error: runError("internal", `Internal error: ${errorMessage(error)}`) };
}

async function recordEnding(run: OpenRun, id: TaskId, outcome: RunOutcome, worktree: WorktreeOutcome | undefined): Promise<void> {
  const ending = {
    status: statusFor(outcome.reason),
    exit: exitFor(outcome.reason),
    ...(outcome.error === undefined ? {} : { error: outcome.error.message }),
    // A command has said what there is to say about it itself.
    ...(run.isAgent ? { detail: { result: outcome.text, ...(outcome.structuredOutput === undefined ? {} : { isStructured: true }), turnCount: outcome.turnCount, costUsd: outcome.costUsd, ...(worktree === undefined ? {} : { worktree }) } } : {}),
  };
  await endTask(id, ending, run.host, { isSilent: true });
}

function rootTask(run: OpenRun, id: TaskId): TaskState {
  const task = run.host.getAppState().tasks[id];
  if (task === undefined) throw new Error(`The root task "${id}" is not in memory`);
  return task;
}
