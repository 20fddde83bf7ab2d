import { AppError, errorMessage } from "../core/errors.ts";
import type { TaskState } from "../core/task-state.ts";
import { stopEffect } from "../engine/running-effect.ts";
import { startShell, type ShellTask } from "../tasks/local_bash/index.ts";
import { describeWork } from "./describe-work.ts";
import { startIdleWatch, type IdleWatch } from "./limits/idle-watch.ts";
import { NO_WORK, runError, type RunOutcome } from "./run-outcome.ts";
import type { RootWork, RootWorkParams } from "./root-work.ts";
import { runStopOf, type ShellWork } from "./run-request.ts";

/** Starts the command of a shell run as the root task. Throws as `startShell` where there is no task on record. */
export async function startShellRoot(params: RootWorkParams & { readonly work: ShellWork }): Promise<RootWork> {
  const { run, work, request, observer, controller } = params;
  const { idleTimeoutMs } = request;
  const idle = idleTimeoutMs === undefined ? undefined : startIdleWatch({ limitMs: idleTimeoutMs, activeMs: run.host.activeMs, stop: (stop) => controller.abort(stop) });
  try {
    const shell = await startShell({
      command: work.argv.join(" "),
      argv: work.argv,
      cwd: request.cwd,
      description: describeWork(work),
      host: run.host,
      isBackgrounded: request.isBackgrounded,
      ...(request.name === undefined ? {} : { name: request.name }),
      ...onChunk(observer, idle),
    });
    return { taskId: shell.id, inputs: new Map(), finish: () => Promise.race([ownEnding(shell), stopped(shell, params)]).finally(() => idle?.end()) };
  } catch (error) {
    idle?.end();
    const [task] = Object.values(run.host.getAppState().tasks);
    if (task === undefined) throw error;
    const [reason, code] = error instanceof AppError ? [error.reason, error.code] : (["internal", "internal"] as const);
    const outcome: RunOutcome = { ...NO_WORK, reason, error: runError(code, errorMessage(error)) };
    return { taskId: task.id, hasStarted: false, inputs: new Map(), finish: () => Promise.resolve(outcome) };
  }
}

/** Every output is a sign of life; a reader that is slow to take it does not stall the command. */
function onChunk({ onOutput }: RootWorkParams["observer"], idle: IdleWatch | undefined): { readonly onChunk?: NonNullable<typeof onOutput> } {
  if (idle === undefined) return onOutput === undefined ? {} : { onChunk: onOutput };
  return {
    async onChunk(bytes) {
      idle.hold(bytes);
      try {
        await onOutput?.(bytes);
      } finally {
        idle.release(bytes);
      }
    },
  };
}

async function ownEnding(shell: ShellTask): Promise<RunOutcome> {
  try {
    return outcomeOf(await shell.ended);
  } catch (error) {
    return { ...NO_WORK, reason: "storage", error: runError("storage", errorMessage(error)) };
  }
}

function outcomeOf(task: TaskState): RunOutcome {
  const reason = task.exit?.reason ?? "internal";
  return { ...NO_WORK, reason, ...(task.error === undefined ? {} : { error: runError(reason, task.error) }) };
}

/** Resolves only when the run is stopped from outside and the command has ended for it. */
async function stopped(shell: ShellTask, { controller, run }: RootWorkParams): Promise<RunOutcome> {
  await aborted(controller.signal);
  await stopEffect(shell.id, run.host.setAppState);
  const { reason, message } = runStopOf(controller.signal.reason);
  return { ...NO_WORK, reason, error: runError(reason, message) };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
