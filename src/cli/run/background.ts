import { EXIT_CODES, type ExitCode } from "../../core/exit-code.ts";
import { launchBackgroundRun } from "../../runtime/launch-background-run.ts";
import type { CliIo } from "../command.ts";
import { createLog, logLevelOf } from "../log.ts";
import type { ResolvedRun } from "./resolved-run.ts";

/** Starts a detached run and prints its id, which has a durable record by then. Throws `AppError` when it did not start. */
export async function runInBackground({ request, format, verbosity }: ResolvedRun, io: CliIo): Promise<ExitCode> {
  const log = createLog(io.stderr, { level: verbosity === "quiet" ? "error" : logLevelOf(io.env) });
  for (const warning of request.warnings) log.warn(warning);
  const launched = await launchBackgroundRun({ request, env: io.env, onMessage: (text) => void io.stderr.write(text) });
  await io.stdout.write(format === "text" ? `${launched.task_id}\n` : `${JSON.stringify(launched)}\n`);
  if (verbosity !== "quiet") await io.stderr.write(`Follow it: agent logs -f ${launched.task_id}\nWait for it: agent wait ${launched.task_id}\n${request.isolation === undefined ? "" : `See what it changed: agent diff ${launched.task_id}\n`}`);
  return EXIT_CODES.ok;
}
