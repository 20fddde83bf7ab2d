import type { CliIo } from "../command.ts";
import type { ResolvedRun } from "./resolved-run.ts";

/**
 * Whether a person may be watching the agent on stderr. A line that comes and goes suits neither lines for machines on the
 * same terminal nor a log that keeps everything.
 */
export function isWatched({ request, format, verbosity }: ResolvedRun, io: CliIo): boolean {
  if (!io.isStderrTty || io.env["CI"] !== undefined) return false;
  if (verbosity === "quiet" || request.work.type === "shell") return false;
  return format === "text" || !io.isStdoutTty;
}

/**
 * Whether that person may be asked, too. A terminal on standard input holds no part of the prompt: that is read from pipes
 * and files alone.
 */
export function mayAsk(resolved: ResolvedRun, io: CliIo): boolean {
  const { work, isBackgrounded } = resolved.request;
  return isWatched(resolved, io) && io.isStdinTty && !isBackgrounded && work.type === "agent" && work.permissionMode !== "dontAsk";
}
