import { exitFor, type ExitCode } from "../../core/exit-code.ts";
import { AppError, errorMessage, systemErrorCode } from "../../core/errors.ts";
import { executeRun } from "../../runtime/execute-run.ts";
import type { RunStop } from "../../runtime/run-request.ts";
import type { RunObserver, RunParams } from "../../runtime/run-params.ts";
import { stopOnSignals } from "../../runtime/stop-on-signals.ts";
import { replaceUserFile } from "../../platform/replace-user-file.ts";
import type { CliIo } from "../command.ts";
import { createRunDisplay, type RunDisplay } from "./display.ts";
import type { ResolvedRun } from "./resolved-run.ts";

/** How long a user who pressed Ctrl-C twice waits at the most; by then everything that can be ended has been. */
const FORCED_EXIT_MS = 1_800;

/** Runs in this process, shows what happens and resolves to the exit status of the run. */
export async function runInForeground(resolved: ResolvedRun, io: CliIo): Promise<ExitCode> {
  const { request } = resolved;
  const controller = new AbortController();
  const display = createRunDisplay(resolved, io);
  const interrupt = new AbortController();
  const force = new AbortController();
  let isWorking = false;
  const forced = Promise.withResolvers<ExitCode>();
  const signals = stopOnSignals({
    onStop(stop) {
      // First, so that an open question ends before anything is said below it.
      const isSoft = stop.reason === "interrupted" && isWorking && request.work.type === "agent";
      (isSoft ? interrupt : controller).abort(stop);
      display.say(`${stop.message}: ${isSoft ? "agents in the background are waited for" : "ending what runs"}; once more ends it at once`);
    },
    onForce(stop) {
      controller.abort(stop);
      force.abort();
      setTimeout(() => forced.resolve(exitFor(stop.reason).code), FORCED_EXIT_MS).unref();
    },
    hangup: "stop",
  });
  io.stdout.onClosed((error) => controller.abort(stopForOutput(error)));
  try {
    const running = executeRun({ request, env: io.env, controller, interruptSignal: interrupt.signal, forceSignal: force.signal, observer: { ...display, ...answerFile(resolved), onRegistered: () => void (isWorking = true) }, ...asking(display) });
    const result = await Promise.race([running, forced.promise]);
    if (typeof result === "number") {
      // The run itself is left to end; what it cannot end in time is ended by its watchdog.
      void running.catch(() => undefined);
      return result;
    }
    await display.finish(result);
    return exitFor(result.exit.reason).code;
  } finally {
    signals.restore();
  }
}

function asking({ askUser }: RunDisplay): Pick<RunParams, "askUser"> {
  return askUser === undefined ? {} : { askUser };
}

/** Nobody gets to see what a run without an output still does. */
function stopForOutput(error: unknown): RunStop {
  const code = systemErrorCode(error);
  if (code === undefined || code === "EPIPE") return { reason: "epipe", message: "Stopped: whoever read the output is gone" };
  return { reason: "storage", message: `Stopped: standard output cannot be written (${code})` };
}

function answerFile({ lastMessageFile: file }: ResolvedRun): Pick<RunObserver, "onAnswer"> {
  return file === undefined ? {} : { onAnswer: (text) => saveLastMessage(file, text) };
}

/** Throws an `AppError` of reason `storage` when the file cannot be written. */
function saveLastMessage(file: string, text: string): void {
  try {
    replaceUserFile(file, `${text}\n`);
  } catch (error) {
    throw new AppError("storage", `Cannot write the last message to "${file}": ${errorMessage(error)}`, { cause: error });
  }
}
