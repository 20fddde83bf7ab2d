import { closeSync } from "node:fs";
import { AppError } from "../core/errors.ts";
import { exitFor, type ExitCode } from "../core/exit-code.ts";
import { redirectDescriptor } from "../platform/redirect-output.ts";
import { crashPoint } from "../platform/test-hooks/crash-point.ts";
import { executeRun } from "./execute-run.ts";
import type { RunRequest, RunStop } from "./run-request.ts";
import { stopOnSignals } from "./stop-on-signals.ts";

/**
 * Does a run that nobody is attached to. Answers its launcher once the run is on record; from then on stdout and stderr
 * go to the run's own log, so that the launcher can go and so can the terminal.
 *
 * Throws an `AppError` when the run could not be put on record or started; the launcher passes it on.
 *
 * @param params.answer writes the one line that the launcher waits for
 * @param params.log writes a line to stderr
 */
export async function hostDetachedRun(params: {
  readonly request: RunRequest;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly answer: (line: string) => Promise<void>;
  readonly log: (line: string) => void;
}): Promise<ExitCode> {
  const controller = new AbortController();
  let isAnswered = false;
  const signals = stopOnSignals({ onStop: (stop: RunStop) => controller.abort(stop), hangup: "ignore" });
  try {
    const result = await executeRun({
      request: params.request,
      env: params.env,
      controller,
      observer: {
        async onRegistered(run) {
          const line = { v: 1, task_id: run.taskId, run_id: run.runId, session_id: run.sessionId, pid: process.pid, output_file: run.outputFile, events: run.eventsFile };
          const log = run.openLog();
          isAnswered = true;
          if (TEST_HOOKS) crashPoint("before-answer");
          await params.answer(`${JSON.stringify(line)}\n`);
          leaveLauncher(log);
          if (TEST_HOOKS) crashPoint("after-answer");
        },
        onWarning: params.log,
        onStateAsked: params.log,
      },
    });
    if (!isAnswered) throw new AppError(result.exit.reason, result.error?.message ?? "The run could not be started", { code: result.error?.code ?? "not_started" });
    return exitFor(result.exit.reason).code;
  } finally {
    signals.restore();
  }
}

/** The launcher sees the end of both pipes. */
function leaveLauncher(log: number): void {
  redirectDescriptor(log, 1);
  redirectDescriptor(log, 2);
  closeSync(log);
}
