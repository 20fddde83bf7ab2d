import { errorMessage } from "../core/errors.ts";
import type { TaskState } from "../core/task-state.ts";
import { stopEffect } from "../engine/running-effect.ts";
import { startShell, type ShellTask } from "../tasks/local_bash/index.ts";
import { describeWork } from "./describe-work.ts";
import { NO_WORK, runError, type RunOutcome } from "./run-outcome.ts";
import type { RootWork, RootWorkParams } from "./root-work.ts";
import { isRunStop, type ShellWork } from "./run-request.ts";

/** Starts the command of a shell run as the root task. Throws as `startShell`. */
export async function startShellRoot(params: RootWorkParams & { readonly work: ShellWork }): Promise<RootWork> {
  const { run, work, request, observer } = params;
  const shell = await startShell({
    command: work.argv.join(" "),
    argv: work.argv,
    cwd: request.cwd,
    description: describeWork(work),
    host: run.host,
    isBackgrounded: request.isBackgrounded,
    ...(request.name === undefined ? {} : { name: request.name }),
    ...(observer.onOutput === undefined ? {} : { onChunk: observer.onOutput }),
  });
  return { taskId: shell.id, finish: () => Promise.race([ownEnding(shell), stopped(shell, params)]) };
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
  const stop: unknown = controller.signal.reason;
  const { reason, message } = isRunStop(stop) ? stop : { reason: "killed" as const, message: "Stopped on request" };
  return { ...NO_WORK, reason, error: runError(reason, message) };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
